import type { Settings } from './switches.ts';

type Spelling = Pick<Settings, 'unneeded_fields' | 'extra_fields' | 'enumerations' | 'numbers' | 'times'>;

/** Fields that no request needs and no key is made of. */
const UNNEEDED = new Set(
  'created_at updated_at logo_url fixture_url date_activated game_week_played chip_selected breakdown country continent rank_updated_at'.split(
    ' ',
  ),
);
/** The fields of section 2.15. */
const ENUMERATED = new Set(
  'tier state window rank_system style type status result txn_type action chip'.split(' '),
);
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{3})Z$/;

/** Whether the settings spell every value as the interface shows it. */
export function isPlain({ unneeded_fields, extra_fields, enumerations, numbers, times }: Spelling): boolean {
  const others = [unneeded_fields !== 'filled', extra_fields !== 'none', enumerations !== 'usual'];
  return ![...others, numbers !== 'number', times !== 'ms'].includes(true);
}

/** The same data in another spelling that the interface leaves open: nulls, missing and further fields, unknown words, digits as text, times. */
export function spell(value: unknown, how: Spelling, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => spell(item, how, name));
  if (typeof value === 'string') return spellText(value, how, name);
  if (Number.isInteger(value)) return how.numbers === 'text' ? String(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    if (!UNNEEDED.has(key) || how.unneeded_fields === 'filled') return [[key, spell(child, how, key)]];
    return how.unneeded_fields === 'null' ? [[key, null]] : [];
  });
  const more = how.extra_fields === 'some' ? { _links: { self: null }, revision: 1 } : {};
  return { ...Object.fromEntries(fields), ...more };
}

function spellText(text: string, how: Spelling, name: string): string {
  if (ENUMERATED.has(name)) return how.enumerations === 'unknown' ? `x_${text}` : text;
  const [, seconds, fraction] = TIME.exec(text) ?? [];
  if (seconds === undefined || fraction === undefined) return text;
  const spelled = {
    ms: text,
    s: `${seconds}Z`,
    us: `${seconds}.${fraction}000Z`,
    offset: `${seconds}.${fraction}+00:00`,
  };
  return spelled[how.times];
}
