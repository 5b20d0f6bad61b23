/** One request that came in. */
export interface GoogleCall {
  readonly kind: 'read' | 'write' | 'token';
  readonly method: string;
  /** The decoded path without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The JSON body, or the fields of a form; undefined when there is none. */
  readonly body: unknown;
  /** What does not fit Google's own description of its interface; a test should find none. */
  readonly problems: readonly string[];
  /** The status that was answered; undefined when nothing was. */
  readonly status: number | undefined;
}

/**
 * What happens instead of the answer. An answer comes before the request is carried out unless `after` is set; `reset` drops the connection, after
 * carrying the request out with `-after`.
 */
export type Fault =
  | {
      readonly status: number;
      /** JSON, or a text that is sent as it stands. */
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly after?: boolean;
    }
  | 'reset'
  | 'reset-after';

/** Looks at every request before it is carried out; it may edit sheets, as another person would, and answer a fault. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a hook that only edits answers nothing
export type Hook = (call: GoogleCall) => Fault | void | Promise<Fault | void>;
