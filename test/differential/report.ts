/** What a run found, as text: clusters with their smallest case, the most frequent first. */
import type { Step } from './case.ts'
import type { Cluster } from './clusters.ts'
import type { Place } from './compare.ts'
import type { DifferentialResult } from './differential.ts'
import { type Json, showPath } from './json.ts'
import { knownDifferences } from './known-differences.ts'

export function reportText(result: DifferentialResult): string {
  const { seed, cases, clusters, known, unshared, unrepeated, families } = result
  const sorted = [...clusters].sort((a, b) => b.count - a.count)
  const found = sorted.reduce((sum, { count }) => sum + count, 0)
  const explained = [...known.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...unshared,
    ...sorted.map(clusterText),
    ...(explained === 0
      ? []
      : ['known differences:', ...[...known].map(([name, count]) => `  ${count} × ${name}: ${reasonOf(name)}`)]),
    ...(unrepeated.size === 0
      ? []
      : ['did not show again:', ...[...unrepeated].map(([key, count]) => `  ${count} × ${key.slice(0, 300)}`)]),
    `families: ${[...families].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `seed ${seed}: ${cases} cases, ${found} unexplained differences in ${sorted.length} clusters, ${explained} known ones`,
  ].join('\n')
}

const reasonOf = (name: string): string => knownDifferences.find((each) => each.name === name)?.reason ?? ''

export function clusterText({ key, count, resources, example }: Cluster): string {
  const { case: each, reference, server, places } = example
  return [
    `## ${count} × ${key}`,
    `resources: ${[...resources].slice(0, 8).join(', ')}${resources.size > 8 ? ` and ${resources.size - 8} more` : ''}`,
    ...each.steps.map((step) => stepText(step)),
    ...Object.entries(each.hooks ?? {}).map(([name, hook]) => `hook ${name}: ${JSON.stringify(hook)}`),
    `reference ${reference.status}, server ${server.status}`,
    ...places.slice(0, 6).map(placeText),
    '',
  ].join('\n')
}

function stepText(step: Step, indent = ''): string {
  const { method, path, headers = {}, body, text, echo, during, until, webSocket } = step
  const shown = Object.entries(headers).map(([name, value]) => ` -H '${name}: ${value}'`)
  const data = echo
    ? ' (the bytes of the last answer)'
    : text !== undefined
      ? ` ${JSON.stringify(text)}`
      : body === undefined
        ? ''
        : ` ${JSON.stringify(body)}`
  return [
    `${indent}${until === undefined ? '' : `until ${until}: `}${webSocket ? 'WebSocket ' : ''}${method} ${path}${shown.join('')}${data}`,
    ...(during ?? []).map((each) => stepText(each, '    during: ')),
  ].join('\n')
}

/** Of two long texts only what is around the first difference. */
function placeText({ path, reference, server }: Place): string {
  const texts = [valueText(reference), valueText(server)] as const
  let same = 0
  while (same < texts[0].length && texts[0][same] === texts[1][same]) same++
  const from = same > 200 ? same - 80 : 0
  const [theirs, ours] = texts.map((text) => `${from > 0 ? '…' : ''}${text.slice(from, from + 600)}`)
  return `  ${showPath(path)}\n    reference: ${theirs}\n    server:    ${ours}`
}

const valueText = (value: Json | undefined): string => (value === undefined ? '(absent)' : JSON.stringify(value))
