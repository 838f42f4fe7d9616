/** What a step makes of an object: templates become patches, patches a new object. */

import { parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { schemaForKind } from '../../catalog/catalog.ts'
import { decodeYaml } from '../../codec/yaml.ts'
import { applyJsonPatch, parseJsonPatch } from '../../patch/json-patch.ts'
import { applyMergePatch } from '../../patch/merge-patch.ts'
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts'
import { toTree } from '../../schema/json-tree.ts'
import type { StageFinalizers, StagePatch } from './stage.ts'
import { StageError } from './stage-expression.ts'
import { type StageFunctionFacts, stageFunctions } from './stage-functions.ts'
import { templateFunctions } from './template/function-table.ts'
import { compileTemplate, type Template } from './template/template-execute.ts'

/** Compiled templates by their source; the oldest go first. */
export class Templates {
  readonly #known = new Map<string, Template>()

  of(source: string): Template {
    const known = this.#known.get(source)
    if (known !== undefined) return known
    const made = compileTemplate(source)
    const [oldest] = this.#known.keys()
    if (this.#known.size >= maxTemplates && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(source, made)
    return made
  }
}

const maxTemplates = 1000

/** What the template writes, read as YAML. Throws a `StageError` or the error of the template. */
export function rendered(
  templates: Templates,
  source: string,
  object: KubeObject,
  facts: StageFunctionFacts,
): JsonValue {
  const text = templates.of(source).execute(object, templateFunctions(facts, stageFunctions(object, facts)))
  if (text.trim() === '') return {}
  try {
    return decodeYaml(Buffer.from(text)).value ?? {}
  } catch (error) {
    throw new StageError(`the template does not give YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const strategicKinds: ReadonlySet<string> = new Set(['v1/Pod', 'v1/Node'])

/** The object with the patch. `value` is what its template gave. */
export function patched(current: KubeObject, { root = '', type = '' }: StagePatch, value: JsonValue): KubeObject {
  const isStrategicByDefault = strategicKinds.has(`${current.apiVersion}/${current.kind}`)
  switch (type === '' ? (isStrategicByDefault ? 'strategic' : 'merge') : type) {
    case 'json':
      return applyJsonPatch(current, parseJsonPatch(toTree(below(root, value)))) as KubeObject
    case 'merge':
      return applyMergePatch(current, wrapped(root, value)) as KubeObject
    case 'strategic':
      return strategic(current, wrapped(root, value))
    default:
      throw new StageError(`the patch type ${JSON.stringify(type)} is not known; known are json, merge, strategic`)
  }
}

const wrapped = (root: string, value: JsonValue): JsonValue => (root === '' ? value : { [root]: value })

/** Paths of a JSON patch are below the root. */
function below(root: string, value: JsonValue): JsonValue {
  if (root === '' || !Array.isArray(value)) return value
  return value.map((each) => (isJsonObject(each) ? { ...each, path: `/${root}${String(each['path'] ?? '')}` } : each))
}

function strategic(current: KubeObject, patch: JsonValue): KubeObject {
  const { apiVersion, kind } = current
  const version = parseGroupVersion(apiVersion)
  const schema = version === undefined ? undefined : schemaForKind({ ...version, kind })
  if (schema === undefined) throw new StageError(`${current.kind} has no strategic merge patch: use merge`)
  return applyStrategicMergePatch(current, patch, schema) as KubeObject
}

export function withFinalizers(
  current: KubeObject,
  { add = [], remove = [], empty = false }: StageFinalizers,
): KubeObject {
  const values = (items: readonly { value?: string }[]): string[] =>
    items.flatMap(({ value }) => (value === undefined ? [] : [value]))
  const removed = new Set(values(remove))
  const kept = empty ? [] : (current.metadata.finalizers ?? []).filter((each) => !removed.has(each))
  const finalizers = [...kept, ...values(add).filter((each) => !kept.includes(each))]
  const { finalizers: _, ...metadata } = current.metadata
  return { ...current, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } }
}
