/**
 * The rules of metadata, bound to one write. The reference applies them in the generic verbs and again in the rules of each kind, so
 * that a cause is reported once for each call: kinds call them in the order of the functions that they mirror.
 *
 * A repeated call costs next to nothing: what was found valid is checked again only where the calls differ, in names and finalizers.
 * Mirrors k8s.io/apiserver/pkg/registry/rest: BeforeCreate, BeforeUpdate.
 */
import type { FieldError } from '../api/field-error.ts'
import { checkPathSegmentName, checkSubdomainName, type NameCheck } from '../api/names.ts'
import type { ObjectMeta } from '../api/object.ts'
import { validateNames, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'

export interface MetadataRules {
  /** Messages about a name, or about a `generateName` (`prefix`). Default: a DNS subdomain. */
  readonly validateName?: NameCheck
  /** Finalizers may have any qualified name. Default: a domain, or a name that is known. */
  readonly anyFinalizer?: boolean
}

/** What kinds may call. */
export type MetadataCalls = Pick<MetadataChecks, 'validate' | 'validateUpdate'>

interface Write {
  readonly metadata: ObjectMeta
  /** Absent for a create. */
  readonly old?: ObjectMeta
  readonly namespaced: boolean
}

export class MetadataChecks {
  readonly #write: Write
  /** Nothing is wrong but, perhaps, the name or which finalizers there are. */
  #isValid = false
  #isValidUpdate = false

  constructor(write: Write) {
    this.#write = write
  }

  /** All of it. Mirrors pkg/apis/core/validation: ValidateObjectMeta. */
  validate({ validateName = checkSubdomainName, anyFinalizer = false }: MetadataRules = {}): FieldError[] {
    const { metadata, namespaced } = this.#write
    if (this.#isValid && this.#allows(anyFinalizer)) return validateNames(metadata, { validateName })
    const errors = validateObjectMeta(metadata, { namespaced, validateName, anyFinalizer })
    this.#isValid ||= errors.length === 0
    return errors
  }

  /** What it may not become; none on create. Mirrors pkg/apis/core/validation: ValidateObjectMetaUpdate. */
  validateUpdate({ anyFinalizer = false }: Pick<MetadataRules, 'anyFinalizer'> = {}): FieldError[] {
    const { metadata, old } = this.#write
    if (old === undefined || (this.#isValidUpdate && this.#allows(anyFinalizer))) return []
    const errors = validateObjectMetaUpdate(metadata, old, { anyFinalizer })
    this.#isValidUpdate ||= errors.length === 0
    return errors
  }

  /** What the generic verbs check, whatever the kind. */
  validateGeneric(): FieldError[] {
    const anyFinalizer = true
    return [
      ...this.validate({ validateName: checkPathSegmentName, anyFinalizer }),
      ...this.validateUpdate({ anyFinalizer }),
    ]
  }

  /** What passed with any finalizer passes with those of the kind, too. */
  #allows(anyFinalizer: boolean): boolean {
    return anyFinalizer || (this.#write.metadata.finalizers?.length ?? 0) === 0
  }
}
