/** A port whose calls of those names pass `call`. All its other methods are as they were. */
export function eachCall<Port extends object>(
  port: Port,
  isCall: (name: string) => boolean,
  call: (name: string, effect: () => Promise<unknown>) => Promise<unknown>,
): Port {
  return new Proxy(port, {
    get: (target, name): unknown => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      if (!isCall(name)) return method.bind(target) as unknown;
      return (...args: unknown[]) => call(name, () => method.apply(target, args) as Promise<unknown>);
    },
  });
}
