/**
 * The documents of a YAML file, separated by lines that begin with `---`; empty ones are left out.
 * Mirrors k8s.io/apimachinery/pkg/util/yaml: YAMLReader.
 */

const separator = '---'

/** Throws where a separator is followed by anything but a comment. */
export function splitDocuments(text: string): string[] {
  const documents: string[] = []
  let lines: string[] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith(separator)) {
      lines.push(line)
      continue
    }
    const rest = line.slice(separator.length).trim()
    if (rest !== '' && !rest.startsWith('#')) throw new Error(`invalid Yaml document separator: ${rest}`)
    // Of a document that has none before it the separator is a part.
    if (lines.length === 0) lines.push(line)
    else {
      documents.push(lines.join('\n'))
      lines = []
    }
  }
  return [...documents, lines.join('\n')].map((document) => document.trim()).filter((document) => document !== '')
}
