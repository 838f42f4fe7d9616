/** The values that labels of metrics may take: `metric,label=value,value` from the flag, or a file of the same. */
import { parse } from 'yaml'
import { readGivenFile } from '../../lib/given-file.ts'
import { ConfigError } from '../config-error.ts'
import type { MetricOptions } from '../metric-options.ts'
import { yamlProblem } from './yaml-problem.ts'

/** By metric and label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

/** What the flag says goes before the file, as a whole. */
export function readAllowedLabels({ allowedLabels, allowedLabelsFile }: MetricOptions): AllowedLabels {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>()
  const given = allowedLabels.flatMap(pairs)
  const entries = given.length > 0 || allowedLabelsFile === undefined ? given : readManifest(allowedLabelsFile)
  for (const [key, values] of entries) {
    if (!validKey.test(key)) {
      throw new ConfigError(`--allow-metric-labels: ${JSON.stringify(key)} does not have the form metricName,labelName`)
    }
    const [metric = '', label = ''] = key.split(',')
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>()
    allowed.set(metric, labels.set(label, new Set(values.replace(/^'(.*)'$/s, '$1').split(','))))
  }
  return allowed
}

const validKey = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/

/** Several in one value are quoted as in CSV: `"m,l=a,b","m,k=c"`. */
function pairs(text: string): [string, string][] {
  const parts = text.startsWith('"') ? [...text.matchAll(/"([^"]*)"/g)].map((found) => found[1] ?? '') : [text]
  return parts.map((part) => {
    const at = part.indexOf('=')
    if (at < 0) throw new ConfigError(`--allow-metric-labels: ${part} must be formatted as key=value`)
    return [part.slice(0, at).trim(), part.slice(at + 1)]
  })
}

function readManifest(file: string): [string, string][] {
  let content: unknown
  try {
    content = parse(readGivenFile(file))
  } catch (error) {
    throw new ConfigError(`--allow-metric-labels-manifest: ${yamlProblem(error)}`)
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError('--allow-metric-labels-manifest: the file must map metricName,labelName to value,value')
  }
  return Object.entries(content).map(([key, values]) => [key, String(values)])
}
