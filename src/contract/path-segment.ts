/**
 * Whether a text can be the id in a path. `.` and `..` are the only segments that a URL resolves away even when they are encoded; a lone surrogate has
 * no encoding.
 */
export function isPathSegment(text: string): boolean {
  return text !== '.' && text !== '..' && text.isWellFormed();
}
