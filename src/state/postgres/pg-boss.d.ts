/** The little of pg-boss that we use, so that nothing but a worker needs the package. */
declare module 'pg-boss' {
  /** One try of a job. */
  interface Attempt {
    readonly id: string;
    readonly retryCount: number;
  }
  interface Job extends Attempt {
    readonly data: object;
  }
  interface Options {
    readonly host: string;
    readonly port?: number;
    readonly user?: string;
    readonly password?: string | (() => string | Promise<string>);
    readonly database?: string;
    readonly ssl: unknown;
    /** What connects, in place of the one of `pg`. */
    readonly Client: new () => object;
    readonly application_name: string;
    readonly max: number;
    readonly connectionTimeoutMillis: number;
    readonly schema: string;
    readonly createSchema: boolean;
    readonly schedule: boolean;
    readonly supervise: boolean;
    readonly superviseIntervalSeconds: number;
    readonly monitorIntervalSeconds: number;
    readonly maintenanceIntervalSeconds: number;
    readonly registerInstance: boolean;
    readonly instanceName?: string;
    readonly instanceHeartbeatSeconds: number;
  }
  class PgBoss {
    constructor(options: Options);
    on(event: 'error', told: (error: Error) => void): void;
    start(): Promise<this>;
    stop(): Promise<void>;
    createQueue(
      name: string,
      options: {
        readonly policy: 'exclusive';
        readonly retryLimit: 0;
        readonly expireInSeconds: number;
        readonly deleteAfterSeconds: number;
      },
    ): Promise<void>;
    send(name: string, data: object, options: { readonly heartbeatSeconds: number }): Promise<string | null>;
    fetch(name: string): Promise<readonly Job[]>;
    touch(name: string, job: Attempt): Promise<{ readonly affected: number }>;
    complete(name: string, job: Attempt): Promise<unknown>;
    fail(name: string, job: Attempt, reason: object): Promise<unknown>;
  }
}
