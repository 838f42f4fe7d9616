/** A JSON Patch that makes one value of another: by keys of objects; a list that differs is replaced. */
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'

export type PatchStep = { readonly op: 'add' | 'remove' | 'replace'; readonly path: string; readonly value?: JsonValue }

export function objectPatch(from: JsonValue, to: JsonValue): PatchStep[] {
  const steps: PatchStep[] = []
  addSteps(from, to, '', steps)
  return steps
}

function addSteps(from: JsonValue, to: JsonValue, path: string, steps: PatchStep[]): void {
  if (equalJson(from, to)) return
  if (isJsonObject(from) && isJsonObject(to)) addMembers(from, to, path, steps)
  else steps.push({ op: 'replace', path, value: to })
}

function addMembers(from: JsonObject, to: JsonObject, path: string, steps: PatchStep[]): void {
  for (const key of Object.keys(from)) if (to[key] === undefined) steps.push({ op: 'remove', path: childOf(path, key) })
  for (const key of Object.keys(to)) {
    const value = to[key]
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    if (value === undefined) continue
    if (before === undefined) steps.push({ op: 'add', path: childOf(path, key), value })
    else addSteps(before, value, childOf(path, key), steps)
  }
}

const childOf = (path: string, key: string): string => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
