/** What the service has to say, before it is put into its envelope. */
export interface Reply {
  readonly status: number;
  readonly message: string;
  readonly data?: unknown;
  readonly paging?: unknown;
  /** What it says beside that. */
  readonly errors?: readonly unknown[];
}

export const refuse = (status: number, message: string): Reply => ({ status, message });
