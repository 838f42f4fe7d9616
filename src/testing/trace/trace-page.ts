/**
 * A trace as one HTML file that needs nothing else. Whatever objects and requests hold is data: it stands in the file as
 * JSON in which no tag can begin, the viewer shows it as text alone, and the page's policy lets no other script run.
 */
import { createHash } from 'node:crypto'
import type { TraceData } from './trace-data.ts'
import { viewerScript } from './viewer-script.ts'
import { viewerStyle } from './viewer-style.ts'

export function tracePage(data: TraceData): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(viewerScript)}'`,
    `style-src '${hashOf(viewerStyle)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(data.title)}</title>
<style>${viewerStyle}</style>
</head>
<body>
<script type="application/json" id="trace">${scriptJson(data)}</script>
<script>${viewerScript}</script>
</body>
</html>
`
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => escapes[c] ?? c)

/** JSON in which neither a tag nor a comment of HTML can begin. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
