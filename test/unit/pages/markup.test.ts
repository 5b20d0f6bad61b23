import { describe, expect, it } from 'vitest';
import { markup, visible } from '../../../src/pages/markup.ts';

describe('a template of HTML', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['" onload="x', '&quot; onload=&quot;x'],
    ["it's & co", 'it&#39;s &amp; co'],
    ['a\u202eb\u2066c', 'a[U+202E]b[U+2066]c'],
    ['nul\u0000 \u001b[31m', 'nul[U+0000] [U+001B][31m'],
    ['lone \ud800', 'lone \ufffd'],
    ['not a character \uffff', 'not a character [U+FFFF]'],
    ['👨‍👩‍👧 and שלום', '👨‍👩‍👧 and שלום'],
  ])('writes %j as %j', (text, written) => {
    expect(markup`<p title="${text}">${text}</p>`.text).toBe(`<p title="${written}">${written}</p>`);
  });

  it('shows nothing for what is not there, and joins lists', () => {
    expect(markup`${null}${undefined}${false}${['a', 1, markup`<b>`]}`.text).toBe('a1<b>');
  });

  it('makes what is hidden visible for other texts too', () => {
    expect(visible('a\u200bb')).toBe('a[U+200B]b');
  });
});
