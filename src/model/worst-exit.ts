import { EXIT, type ExitCode } from './error.ts';

const ORDER: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.terminated,
  EXIT.stopped,
  EXIT.config,
  EXIT.unavailable,
  EXIT.access,
  EXIT.incomplete,
  EXIT.rows,
  EXIT.internal,
];

/** Of several exit codes the one that a run ends with: signals first, then 6, 4, 8, 5, 7, 3, and any other before 0. */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  return ORDER.find((code) => codes.includes(code)) ?? codes.find((code) => code !== EXIT.done) ?? EXIT.done;
}
