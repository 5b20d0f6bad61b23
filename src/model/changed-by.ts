/** The same object with other methods in place of some. */
export function changedBy<Port extends object>(port: Port, changed: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name): unknown => {
      const own: unknown = Reflect.get(changed, name);
      if (own !== undefined) return own;
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? (method.bind(target) as unknown) : method;
    },
  });
}
