import type { Settings } from '../switches.ts';

/** A refusal as it goes out. */
interface RefusalBody {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The content type of every answer with JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A refusal in the shape that the service gives its errors; sections 1 and 7 only expect the envelope. */
export function refusalBody(shape: Settings['error_shape'], status: number, message: string): RefusalBody {
  const json = (value: object, type = JSON_TYPE): RefusalBody => ({
    status,
    type,
    body: JSON.stringify(value),
  });
  switch (shape) {
    case 'envelope':
      return json({ statusCode: status, message, data: null });
    case 'message':
      return json({ message });
    case 'error':
      return json({ error: { code: `E${status}`, message } });
    case 'problem':
      return json({ type: 'about:blank', title: message, status }, 'application/problem+json');
    case 'text':
      return { status, type: 'text/plain; charset=utf-8', body: message };
    case 'http_200':
      return { ...json({ statusCode: status, message, data: null }), status: 200 };
  }
}
