import { describe, expect, it } from 'vitest';
import { addressesOf } from '../../../src/runtime/config/alert-addresses.ts';
import { parseConfig } from '../../../src/runtime/config/config-file.ts';

const parse = (alerts: string) => parseConfig(`version: 1\nalerts:\n${alerts}`, 'teamsheet.yaml').value;
const messageOf = (alerts: string): string => {
  try {
    parse(alerts);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('alerts of a configuration', () => {
  it('are webhooks and pings, each with what it wants', () => {
    const { webhooks, pings } = addressesOf(
      parse(`  - { webhook: { env: ALERT_URL }, shape: slack, on: [failing, degraded, recovered] }
  - { webhook: { file: keys/hook }, allow_private: true }
  - { ping: { env: PING_URL } }`),
    );
    expect(webhooks.map(({ to, shape, on, allowPrivate }) => [to, shape, [...on], allowPrivate])).toEqual([
      ['slack env ALERT_URL', 'slack', ['failing', 'degraded', 'recovered'], false],
      [
        'json file keys/hook',
        'json',
        ['failing', 'degraded', 'recovered', 'deadline_near', 'week_missing', 'audit_differs'],
        true,
      ],
    ]);
    expect(pings.map(({ to, allowPrivate }) => [to, allowPrivate])).toEqual([['ping env PING_URL', false]]);
  });

  it('are none where nothing is written', () => {
    expect(parseConfig('version: 1', 'teamsheet.yaml').value.alerts).toEqual([]);
  });

  const HOOK = 'https://hooks.example/services/T0/canary';
  it.each([
    `  - { webhook: "${HOOK}" }`,
    `  - { webhook: { url: "${HOOK}" } }`,
    `  - { webhook: { env: "${HOOK}" } }`,
    `  - { ping: "${HOOK}" }`,
    `  - "${HOOK}"`,
    `  "${HOOK}"`,
    `  - { url: "${HOOK}" }`,
    `  - { webhook: { env: A }, ping: { env: B }, url: "${HOOK}" }`,
    `  - { webhook: { env: A, file: "${HOOK}" } }`,
    `  - { webhook: [ "${HOOK}" ] }`,
  ])('are refused with an address in the file, which is not quoted: %s', (alerts) => {
    const message = messageOf(alerts);
    expect(message).toMatch(/^teamsheet\.yaml:3:/);
    expect(message).not.toContain('hooks.example');
    expect(message).not.toContain('canary');
  });

  it.each([
    ['  - { webhook: { env: A }, ping: { env: B } }', 'write webhook: or ping: with { env: NAME }'],
    ['  - { shape: json }', 'write webhook: or ping: with { env: NAME }'],
    ['  - { webhook: { env: A }, shape: teams }', '"teams" is not known; write json, slack or discord'],
    ['  - { webhook: { env: A }, on: [failed] }', '"failed" is not known; write failing, degraded'],
    ['  - { webhook: { env: A }, on: [] }', 'is empty; write at least one'],
    ['  - { ping: { env: A }, on: [failing] }', 'shape and on belong to a webhook'],
    ['  - { webhook: { env: A }, allow_privat: true }', 'did you mean "allow_private"?'],
  ])('are refused where they are wrong: %s', (alerts, message) => {
    expect(messageOf(alerts)).toContain(message);
  });
});
