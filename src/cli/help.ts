/** The text of `--help`: flags by section, as the reference groups them. */
import { servedMajor, servedMinor } from '../api/release.ts'
import { type FlagDefinition, flagDefinitions } from '../config/flags.ts'
import { tools } from './tools.ts'

const width = 100

const toolLines = Object.entries(tools)
  .map(([name, { about }]) => `  pilothouse ${name.padEnd(10)} ${about}; see pilothouse ${name} --help\n`)
  .join('')

export function commandHelp(): string {
  const sections = new Map<string, FlagDefinition[]>()
  for (const flag of flagDefinitions().values()) {
    if (flag.section === 'Hidden') continue
    sections.set(flag.section, [...(sections.get(flag.section) ?? []), flag])
  }
  const parts = [...sections].map(([title, flags]) => `${title} flags:\n\n${flags.map(describeFlag).join('')}`)
  return `Pilothouse serves the Kubernetes v${servedMajor}.${servedMinor} API from one process.

Usage:
  pilothouse [serve] [flags]
${toolLines}
${parts.join('\n')}`
}

function describeFlag({ name, type, defaultText, description, supported }: FlagDefinition): string {
  const short = name === 'v' ? '-v, ' : name === 'help' ? '-h, ' : ''
  const title = `${short}--${name}${type === 'bool' ? '' : type === 'version' ? '[=true|raw|vX.Y.Z]' : ` ${type}`}`
  const fallback =
    defaultText === '' || ((type === 'bool' || type === 'version') && defaultText === 'false')
      ? ''
      : ` (default ${defaultText})`
  const effect = supported ? '' : ' (no effect)'
  return `  ${title}\n${wrap(`${description}${fallback}${effect}`)}`
}

function wrap(text: string): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length + 1 > width - 8 && last !== '') lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.map((line) => `        ${line}\n`).join('')
}
