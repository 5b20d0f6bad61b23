interface Transform {
  readonly description: string;
  readonly apply: (text: string) => string;
}

/** The named functions that a column's `transform` may list; each turns any text into a text, without an error, and knows nothing else. */
export const TRANSFORMS = {
  trim: { description: 'Removes blanks at both ends.', apply: (text) => text.trim() },
  squeeze: {
    description: 'Turns every run of blanks into one; tabs and line breaks stay, and are refused later.',
    apply: (text) => text.replace(/\p{Zs}+/gu, ' '),
  },
  upper: { description: 'Turns letters into capitals.', apply: (text) => text.toUpperCase() },
  lower: { description: 'Turns letters into small letters.', apply: (text) => text.toLowerCase() },
  digits: { description: 'Keeps the digits 0 to 9 only.', apply: (text) => text.replace(/[^0-9]/g, '') },
  strip_leading_apostrophe: {
    description: "Removes the apostrophe that a spreadsheet puts before a text, as in '00123.",
    apply: (text) => (text.startsWith("'") ? text.slice(1) : text),
  },
} as const satisfies Record<string, Transform>;

export type TransformName = keyof typeof TRANSFORMS;
export const TRANSFORM_NAMES = Object.keys(TRANSFORMS) as readonly TransformName[];

/** Applies the named transforms from left to right. */
export const transformed = (text: string, names: readonly TransformName[]): string =>
  names.reduce((value, name) => TRANSFORMS[name].apply(value), text);
