import { TransportError } from '../client/transport-error.ts';
import { TeamsheetError } from '../model/error.ts';
import type { HttpResponse, Transport } from '../model/ports.ts';

/**
 * The transport of a program. Nobody knows what it had sent when it failed, so that a failure, or an answer that is none, is one of a request without an answer: a
 * read is repeated, and a write is looked for.
 */
export const ownTransport =
  (transport: Transport): Transport =>
  async (request) => {
    let answer: unknown;
    try {
      answer = await transport(request);
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      if (error instanceof TransportError || error instanceof TeamsheetError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new TransportError('reset', `the transport failed (${why})`, error);
    }
    if (isAnswer(answer)) return answer;
    throw new TransportError(
      'reset',
      'the transport answers without a status, headers and a text as its body',
    );
  };

function isAnswer(answer: unknown): answer is HttpResponse {
  if (typeof answer !== 'object' || answer === null) return false;
  const { status, headers, body } = answer as Readonly<Record<string, unknown>>;
  return (
    Number.isInteger(status) && typeof headers === 'object' && headers !== null && typeof body === 'string'
  );
}
