/**
 * The files of a folder with webhooks or policies, in the order of their names, as documents and with a digest of all of them.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/manifest: LoadFiles.
 */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { quote } from '../../api/golang/quote.ts'
import { compareTexts } from '../../api/key-lists.ts'
import { reasonOf } from '../../lib/fault.ts'
import { readGivenFileAsync } from '../../lib/given-file.ts'
import { splitDocuments } from './yaml-documents.ts'

export interface ManifestDocument {
  readonly file: string
  readonly text: string
}

export interface ManifestFiles {
  readonly documents: readonly ManifestDocument[]
  /** `sha256:…`; empty where there is nothing in the files. */
  readonly digest: string
}

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

/** More is no configuration. */
const maxFiles = 10_000

export async function readManifests(folder: string): Promise<ManifestFiles> {
  const digest = createHash('sha256')
  const documents: ManifestDocument[] = []
  let hasText = false
  for (const file of await manifestsIn(folder)) {
    const text = await textOf(file)
    if (text === '') continue
    hasText = true
    digest.update(text).update('\0')
    for (const document of documentsOf(file, text)) documents.push({ file, text: document })
  }
  return { documents, digest: hasText ? `sha256:${digest.digest('hex')}` : '' }
}

async function manifestsIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
    const found = names.filter((name) => extensions.has(extname(name).toLowerCase())).sort(compareTexts)
    if (found.length > maxFiles) throw new Error(`there are more than ${maxFiles} files`)
    return found.map((name) => join(folder, name))
  } catch (error) {
    throw new Error(`failed to read manifest directory ${quote(folder)}: ${reasonOf(error)}`)
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readGivenFileAsync(file)
  } catch (error) {
    throw new Error(`failed to read file ${quote(file)}: ${reasonOf(error)}`)
  }
}

function documentsOf(file: string, text: string): string[] {
  try {
    return splitDocuments(text)
  } catch (error) {
    throw new Error(`failed to split YAML documents in file ${quote(file)}: ${reasonOf(error)}`)
  }
}
