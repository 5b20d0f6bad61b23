import { markup, type Markup } from './markup.ts';
import { KITS } from './style-pitch.ts';

/** The shirt of a club, whose id chooses the colours; goalkeepers wear one of their own. */
export function shirt(clubId: number, isKeeper = false): Markup {
  const kit = isKeeper ? 'keeper' : `kit-${((clubId - 1) % KITS.length) + 1}`;
  return markup`<svg class="shirt ${kit}" viewBox="0 0 48 44" aria-hidden="true">
    <path class="body" d="M17 2 4 8l-3 12 8 3 2-5v24h26V18l2 5 8-3-3-12L31 2c-2 4-12 4-14 0Z" />
    <path class="trim" d="M17 2c2 4 12 4 14 0l3 1.4c-3 7-17 7-20 0ZM1.6 17.5l8.2 3-.8 2.5-8-3ZM46.4 17.5l-8.2 3 .8 2.5 8-3Z" />
  </svg>`;
}
