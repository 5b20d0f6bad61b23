import type { Alert, AlertShape } from '../model/state/alerts.ts';

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
  slack: (alert) => slackBody(textOf(alert)),
  discord: (alert) => discordBody(escapeDiscord(textOf(alert))),
};

const slackBody = (text: string): object => ({
  text: escapeSlack(text),
  mrkdwn: false,
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
});

/** `content` is Markdown. */
const discordBody = (content: string): object => ({
  content: cut(content),
  allowed_mentions: { parse: [] },
  flags: SUPPRESS_EMBEDS,
});

/** A recap as it stands in its files. */
export interface RecapWords {
  readonly markdown: string;
  readonly text: string;
}

/** The same for the recap of a game week. Its names call nobody already; Discord reads its Markdown. */
export function recapBody(
  { environment, league, counts }: Alert,
  words: RecapWords,
  shape: AlertShape,
): string {
  const week = counts?.['week'] ?? null;
  const bodies: Readonly<Record<AlertShape, object>> = {
    json: { event: 'recap', environment, league, week, ...words },
    slack: slackBody(words.text),
    discord: discordBody(words.markdown),
  };
  return JSON.stringify(bodies[shape]);
}

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
