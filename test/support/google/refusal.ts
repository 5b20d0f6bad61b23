/** The project that a fake's credentials belong to. */
export const PROJECT = '100000000001';

/** An error answer in the shape of Google's APIs. */
export class GoogleRefusal extends Error {
  readonly code: number;
  readonly status: string;
  readonly details: readonly object[];

  constructor(code: number, status: string, message: string, details: readonly object[] = []) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }

  /** The JSON that Google sends; `details` is left out when there are none. */
  body(): object {
    const { code, message, status, details } = this;
    return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } };
  }
}

/** A Google error of the kind ErrorInfo, which says why in a word. */
function errorInfo(reason: string, metadata: object): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'sheets.googleapis.com', ...metadata },
  };
}

/** 400: the request makes no sense. */
export function invalid(message: string): GoogleRefusal {
  return new GoogleRefusal(400, 'INVALID_ARGUMENT', message);
}

/** 400: the body or the query does not fit the interface's own description. */
export function malformed(problems: readonly string[]): GoogleRefusal {
  return new GoogleRefusal(400, 'INVALID_ARGUMENT', problems.join('\n'), [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: problems.map((description) => ({ description })),
    },
  ]);
}

/** 401: no token, or one that is unknown or expired. */
export function unauthenticated(): GoogleRefusal {
  return new GoogleRefusal(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    [errorInfo('ACCESS_TOKEN_TYPE_UNSUPPORTED', {})],
  );
}

/** 403: the token's scopes do not cover the method. */
export function insufficientScope(method: string): GoogleRefusal {
  return new GoogleRefusal(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
    errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { method }),
  ]);
}

/** 403: the spreadsheet is not shared, or only for reading. */
export function notPermitted(): GoogleRefusal {
  return new GoogleRefusal(403, 'PERMISSION_DENIED', 'The caller does not have permission');
}

/** 404: no such spreadsheet. */
export function notFound(): GoogleRefusal {
  return new GoogleRefusal(404, 'NOT_FOUND', 'Requested entity was not found.');
}

/** 429: the minute's requests are used up. */
export function quotaExceeded(kind: 'read' | 'write'): GoogleRefusal {
  const name = kind === 'read' ? 'Read' : 'Write';
  return new GoogleRefusal(
    429,
    'RESOURCE_EXHAUSTED',
    `Quota exceeded for quota metric '${name} requests' and limit '${name} requests per minute per user' of service 'sheets.googleapis.com' for consumer 'project_number:${PROJECT}'.`,
    [
      errorInfo('RATE_LIMIT_EXCEEDED', {
        consumer: `projects/${PROJECT}`,
        quota_metric: `sheets.googleapis.com/${kind}_requests`,
        quota_limit: `${name}RequestsPerMinutePerUser`,
        quota_limit_value: '60',
        quota_unit: '1/min/{project}/{user}',
        quota_location: 'global',
      }),
      {
        '@type': 'type.googleapis.com/google.rpc.Help',
        links: [
          {
            description: 'Request a higher quota limit.',
            url: 'https://cloud.google.com/docs/quotas/help/request_increase',
          },
        ],
      },
    ],
  );
}
