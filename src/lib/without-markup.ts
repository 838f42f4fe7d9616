/** Texts that clients chose must not read as HTML where they are echoed. Quotes are harmless there. */
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const withoutMarkup = (text: string): string => text.replace(/[&<>]/g, (char) => escapes[char] ?? char)
