import type { Alert, AlertShape } from '../model/alerts.ts';

/** The body of a webhook, as JSON. Slack and Discord are told text in which nothing is a mention, a link or a mark. */
export function alertBody(alert: Alert, shape: AlertShape): string {
  return JSON.stringify(BODIES[shape](alert));
}

const BODIES: Readonly<Record<AlertShape, (alert: Alert) => object>> = {
  json: ({ event, environment, league, mapping, sinceMs, run, exitCode, counts, message, next }) => ({
    event,
    environment,
    league,
    mapping,
    since: new Date(sinceMs).toISOString(),
    run,
    exit_code: exitCode,
    counts,
    message,
    next,
  }),
  slack: (alert) => ({
    text: escapeSlack(textOf(alert)),
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  }),
  discord: (alert) => ({
    content: cut(escapeDiscord(textOf(alert))),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  }),
};

const SUPPRESS_EMBEDS = 4;
/** The most characters that Discord takes. */
const DISCORD_LENGTH = 2000;

function textOf({ event, environment, league, message, next }: Alert): string {
  const where = league === null ? environment : `${environment}, ${league}`;
  return [`${event}: ${where}: ${message}`, ...(next === null ? [] : [`next: ${next}`])].join('\n');
}

/** Slack reads `<!channel>`, `<@U1>` and `<http://…>`; nothing else once marks and link names are off. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Discord takes a backslash before any sign away and the sign as it stands. */
const escapeDiscord = (text: string): string => text.replace(/[\\*_~`|<>#@:[\]()-]/g, '\\$&');

/** Without half a character and without a lone backslash at the end. */
function cut(text: string): string {
  if (text.length <= DISCORD_LENGTH) return text;
  return `${text.slice(0, DISCORD_LENGTH - 1).replace(/[\ud800-\udbff]$|\\+$/u, '')}…`;
}
