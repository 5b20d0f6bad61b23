import type { CellStyle } from 'hucre/xlsx';

/** The colours of a workbook: few, and dark enough to be printed. */
export const COLOURS = {
  brand: '1F5C4A',
  tint: 'E9F0ED',
  line: 'D5DEDA',
  quiet: '5F6B67',
  white: 'FFFFFF',
} as const;

/** Calibri is on most machines with a spreadsheet program, and the others have a font of its measures. */
export const FONT = { name: 'Calibri', size: 11 } as const;

/** White on the brand's colour. */
export const HEADER_STYLE: CellStyle = {
  font: { ...FONT, bold: true, color: { rgb: COLOURS.white } },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: COLOURS.brand } },
};
/** The height of a header row, in points. */
export const HEADER_HEIGHT = 21;
/** What each further line adds to it. */
export const LINE_HEIGHT = 15;

/** A fine line below each row, in the place of the grid of the program. */
export const ROW_BORDER: NonNullable<CellStyle['border']> = {
  bottom: { style: 'thin', color: { rgb: COLOURS.line } },
};

/** The row below a table. */
export const TOTALS_STYLE: CellStyle = {
  font: { ...FONT, bold: true },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: COLOURS.tint } },
  border: { top: { style: 'medium', color: { rgb: COLOURS.brand } } },
};

export type Align = 'left' | 'center' | 'right';

/** At the top of the cell, a little away from its side. */
export const alignment = (align: Align): NonNullable<CellStyle['alignment']> =>
  // A centred cell takes no indent.
  ({ horizontal: align, vertical: 'top', ...(align === 'center' ? {} : { indent: 1 }) });

/** `'Auto substitutions'`: a tab's name as references take it. */
export const quotedTab = (name: string): string => `'${name.replaceAll("'", "''")}'`;
