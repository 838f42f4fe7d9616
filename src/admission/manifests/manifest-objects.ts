/**
 * What all objects of files have in common: their names, that lists are taken apart, and that an error names the file.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/manifest: ValidateManifestName.
 */
import { quote } from '../../api/golang/quote.ts'
import { compareTexts } from '../../api/key-lists.ts'
import type { KubeObject } from '../../api/object.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import { reasonOf } from '../../lib/fault.ts'
import {
  type DecodedManifest,
  decodeManifest,
  itemsOfList,
  type ManifestKinds,
  objectsOfKind,
} from './manifest-decoder.ts'
import type { ManifestDocument } from './manifest-files.ts'

export const staticSuffix = '.static.k8s.io'

/** With defaults, as the rules of its kind have it. Throws an Error that says what is wrong. */
export type CheckManifest = (object: KubeObject) => Promise<KubeObject>

export interface ManifestLoading {
  /** `ValidatingAdmissionPolicy`, `MutatingWebhookConfiguration` … */
  readonly kind: string
  readonly types: TypeCatalog
  readonly check: CheckManifest
}

/** What becomes of one object of a file; false for a kind that it is not about. */
export type AcceptManifest = (manifest: DecodedManifest, file: string) => Promise<boolean>

/** Goes over all objects in their order, and stops at the first that is wrong. */
export async function acceptManifests(
  documents: readonly ManifestDocument[],
  kinds: ManifestKinds,
  accept: AcceptManifest,
): Promise<void> {
  const take = async (manifest: DecodedManifest, file: string): Promise<void> => {
    const items = itemsOfList(manifest)
    if (items !== undefined) for (const item of items) await take(decodedItem(item, kinds), file)
    else if (!(await accept(manifest, file))) throw new Error(`unsupported resource type ${manifest.type}`)
  }
  for (const { file, text } of documents) {
    try {
      await take(decodeManifest(text, kinds), file)
    } catch (error) {
      throw new Error(`error loading ${file}: ${reasonOf(error)}`)
    }
  }
}

function decodedItem(text: string, kinds: ManifestKinds): DecodedManifest {
  try {
    return decodeManifest(text, kinds)
  } catch (error) {
    throw new Error(`failed to decode list item: ${reasonOf(error)}`)
  }
}

/** The objects of one kind so far: each is valid, has a name of its own, and is what a file may have. */
export class AcceptedManifests {
  readonly #all: KubeObject[] = []
  readonly #names = new ManifestNames()
  readonly #check: CheckManifest
  readonly #inspect: (object: KubeObject, file: string) => void

  /** `inspect` throws an Error that says what a file may not have. */
  constructor(check: CheckManifest, inspect: (object: KubeObject, file: string) => void) {
    this.#check = check
    this.#inspect = inspect
  }

  /** False for another kind. All objects of a list are checked before any is inspected. */
  async take(manifest: DecodedManifest, kind: string, file: string): Promise<boolean> {
    const objects = objectsOfKind(manifest, kind)
    if (objects === undefined) return false
    const checked: KubeObject[] = []
    for (const object of objects) checked.push(await this.#check(object))
    for (const object of checked) {
      this.#names.add(object.metadata.name ?? '', file)
      this.#inspect(object, file)
      this.#all.push(object)
    }
    return true
  }

  /** By name. */
  all(): KubeObject[] {
    return this.#all.sort((a, b) => compareTexts(a.metadata.name ?? '', b.metadata.name ?? ''))
  }
}

/** The names of one kind, and the files that have them. */
class ManifestNames {
  readonly #files = new Map<string, string>()

  /** Throws where the name is not one of a file, or there twice. */
  add(name: string, file: string): void {
    if (name === '') throw new Error(`resource in file ${quote(file)} must have a name`)
    if (!name.endsWith(staticSuffix))
      throw new Error(`${quote(name)} in file ${quote(file)} must have a name ending with ${quote(staticSuffix)}`)
    const before = this.#files.get(name)
    if (before !== undefined)
      throw new Error(
        `duplicate name ${quote(name)} found in file ${quote(file)} (previously seen in ${quote(before)})`,
      )
    this.#files.set(name, file)
  }
}
