import type { WriteSheet } from 'hucre/xlsx';

/** Landscape, as wide as the page, with the tab's name and page numbers below. */
export const PRINTED: Pick<WriteSheet, 'pageSetup' | 'headerFooter'> = {
  pageSetup: {
    paperSize: 'a4',
    orientation: 'landscape',
    fitToPage: true,
    fitToWidth: 1,
    fitToHeight: 0,
    horizontalCentered: true,
    margins: { top: 0.6, bottom: 0.7, left: 0.5, right: 0.5, header: 0.3, footer: 0.3 },
  },
  headerFooter: { oddFooter: '&L&9&A&R&9Page &P of &N' },
};
