import { expect, it } from 'vitest';
import type { Alert, AlertShape } from '../../../src/model/state/alerts.ts';
import { alertBody, recapBody } from '../../../src/schedule/alert-body.ts';

const alert: Alert = {
  about: 'a',
  event: 'degraded',
  environment: 'live',
  league: 'north',
  mapping: 'users',
  sinceMs: Date.parse('2026-08-20T10:00:00Z'),
  run: 'R1',
  exitCode: 3,
  counts: { rows: 2, invalid: 1 },
  message: 'users: not every row came through: 1 invalid of 2 rows',
  next: 'teamsheet runs R1',
};
const body = (shape: AlertShape, changes: Partial<Alert> = {}): Record<string, unknown> =>
  JSON.parse(alertBody({ ...alert, ...changes }, shape)) as Record<string, unknown>;

it('is, as JSON, what season.md says and nothing else', () => {
  expect(body('json')).toEqual({
    event: 'degraded',
    environment: 'live',
    league: 'north',
    mapping: 'users',
    since: '2026-08-20T10:00:00.000Z',
    run: 'R1',
    exit_code: 3,
    counts: { rows: 2, invalid: 1 },
    message: 'users: not every row came through: 1 invalid of 2 rows',
    next: 'teamsheet runs R1',
  });
  expect(
    Object.keys(body('json', { league: null, mapping: null, run: null, counts: null, next: null })),
  ).toHaveLength(10);
});

const TRICKY = '<!channel> <@U1> @everyone @here *b* _i_ ~s~ `c` ||x|| [a](https://evil.example) & # > \\';

it('mentions nobody in Slack', () => {
  expect(body('slack', { environment: TRICKY, league: null, next: null })).toEqual({
    text: `degraded: &lt;!channel&gt; &lt;@U1&gt; @everyone @here *b* _i_ ~s~ \`c\` ||x|| [a](https://evil.example) &amp; # &gt; \\: ${alert.message}`,
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  });
});

it('mentions nobody in Discord, and has no marks there', () => {
  const { content, ...rest } = body('discord', {
    environment: TRICKY,
    league: null,
    message: 'm',
    next: null,
  });
  expect(rest).toEqual({ allowed_mentions: { parse: [] }, flags: 4 });
  const escaped = String(content);
  expect(escaped.replace(/\\(.)/g, '$1')).toBe(`degraded: ${TRICKY}: m`);
  expect(escaped.replace(/\\./g, '')).not.toMatch(/[\\*_~`|<>#@:[\]()]/);
});

it('says in text where it happened and what to type', () => {
  expect(body('slack')['text']).toBe(`degraded: live, north: ${alert.message}\nnext: teamsheet runs R1`);
});

it.each(['x'.repeat(3000), '🏆'.repeat(1500), '*'.repeat(3000)])(
  'fits in a message of Discord: %.5s…',
  (environment) => {
    const content = String(body('discord', { environment })['content']);
    expect(content.length).toBeLessThanOrEqual(2000);
    expect(content.isWellFormed()).toBe(true);
    expect(content).not.toMatch(/[^\\](\\\\)*\\…$/);
  },
);

it('is the recap of a week in the words of its files, in the form that each address reads', () => {
  const recap: Alert = { ...alert, event: 'recap', mapping: null, counts: { week: 7 } };
  const words = { markdown: '**A\\_b** <x>', text: 'A_b <x>' };
  const of = (shape: AlertShape): unknown => JSON.parse(recapBody(recap, words, shape));
  expect(of('json')).toEqual({ event: 'recap', environment: 'live', league: 'north', week: 7, ...words });
  expect(of('slack')).toMatchObject({ text: 'A_b &lt;x&gt;', mrkdwn: false, link_names: false });
  expect(of('discord')).toMatchObject({ content: '**A\\_b** <x>', allowed_mentions: { parse: [] } });
});
