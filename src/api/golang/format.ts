/** A text that Go takes for a format, with nothing to fill in: what looks like a verb becomes an error in its place. */
export const formatWithoutArguments = (text: string): string =>
  text.includes('%') ? text.replace(directive, explain) : text

/** Flags, width and precision (both may be asked for by `*`), an index in brackets, the verb. */
const directive = /%[ #+\-0]*(\*|\d+)?(?:\.(\*|\d*))?(\[[^\]]*\]|\[)?(.?)/gsu

function explain(
  _: string,
  width: string | undefined,
  precision: string | undefined,
  index: string | undefined,
  verb: string,
): string {
  const starred = `${width === '*' ? '%!(BADWIDTH)' : ''}${precision === '*' ? '%!(BADPREC)' : ''}`
  if (verb === '') return `${starred}%!(NOVERB)`
  if (verb === '%') return `${starred}%`
  return `${starred}%!${verb}(${index === undefined ? 'MISSING' : 'BADINDEX'})`
}
