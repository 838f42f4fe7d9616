/** Manifests as people keep them: YAML text with several documents, objects, a file, or a folder of files. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { ApiObject } from './api/objects.ts'

export type Manifest = string | object | readonly object[]

/** Every object of a manifest in order; lists are taken apart. */
export function readManifest(manifest: Manifest): ApiObject[] {
  if (typeof manifest !== 'string') {
    const objects: readonly unknown[] = Array.isArray(manifest) ? manifest : [manifest]
    return objects.flatMap(membersOf)
  }
  if (isPath(manifest)) {
    if (!existsSync(manifest)) throw new Error(`there is no file or folder ${manifest}`)
    return readPath(manifest)
  }
  return parseText(manifest, 'the manifest')
}

/** One line that is there, or that could be nothing but a path: YAML of an object has a colon and a blank, or braces. */
function isPath(text: string): boolean {
  if (text.trim() === '' || text.includes('\n')) return false
  return existsSync(text) || !/[{}]|:\s|:$/.test(text)
}

function readPath(file: string): ApiObject[] {
  if (!statSync(file).isDirectory()) return parseText(readFileSync(file, 'utf8'), file)
  const names = readdirSync(file, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .flatMap((name) => parseText(readFileSync(path.join(file, name), 'utf8'), path.join(file, name)))
}

function parseText(text: string, source: string): ApiObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors ?? []
    if (error !== undefined) throw new Error(`${source}: ${error.message}`)
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    if (value === null || value === undefined) return []
    return membersOf(value, source)
  })
}

function membersOf(given: unknown, source: unknown = 'the manifest'): ApiObject[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Error(`${typeof source === 'string' ? source : 'the manifest'} holds something that is no object`)
  }
  const object = given as ApiObject
  const { apiVersion, kind } = object
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new Error(`an object without apiVersion and kind cannot be applied: ${JSON.stringify(object).slice(0, 200)}`)
  }
  const isList = kind.endsWith('List') && Array.isArray(object['items'])
  return isList ? (object['items'] as unknown[]).flatMap((item) => membersOf(item, source)) : [object]
}

/** Definitions come before namespaces, and both before what needs them. */
export function installOrder(objects: readonly ApiObject[]): { definitions: ApiObject[]; rest: ApiObject[] } {
  const isDefinition = ({ kind }: ApiObject): boolean => kind === 'CustomResourceDefinition'
  const isNamespace = ({ kind, apiVersion }: ApiObject): boolean => kind === 'Namespace' && apiVersion === 'v1'
  const others = objects.filter((object) => !isDefinition(object))
  return {
    definitions: objects.filter(isDefinition),
    rest: [...others.filter(isNamespace), ...others.filter((object) => !isNamespace(object))],
  }
}
