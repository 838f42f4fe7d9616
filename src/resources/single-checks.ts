/**
 * Kinds whose update rules repeated those of a new object: a cause came twice. Later releases check once
 * (`api/release-changes.ts`, `checkedOnce`): the metadata here, the rest in the rules of the kinds (`repeatedCheck`).
 */
import { hasDeclaredName, isCheckedOnce, keepsMetadataChecks } from '../api/release-changes.ts'
import type { MetadataCalls } from '../registry/metadata-checks.ts'
import type { Strategy } from '../registry/strategy.ts'
import { checkLongName } from './declared-formats.ts'

/** The rules of a kind as a release checks them. */
export const withReleaseChecks = (strategy: Strategy, kind: string, release: number): Strategy =>
  withSingleChecks(withDeclaredNames(strategy, kind, release), kind, release)

function withSingleChecks(strategy: Strategy, kind: string, release: number): Strategy {
  if (!isCheckedOnce(release, kind) || keepsMetadataChecks(kind)) return strategy
  const { validateMetadataUpdate } = strategy
  if (validateMetadataUpdate === undefined) return strategy
  return {
    ...strategy,
    validateMetadataUpdate: (metadata, object) => validateMetadataUpdate(withoutFirst(metadata), object),
  }
}

/** Names of some kinds have a declared format in later releases. */
function withDeclaredNames(strategy: Strategy, kind: string, release: number): Strategy {
  if (!hasDeclaredName(release, kind)) return strategy
  const { validateMetadata, validateMetadataUpdate } = strategy
  return {
    ...strategy,
    validateMetadata: (metadata, object) => {
      const named = withLongNames(metadata)
      return validateMetadata?.(named, object) ?? named.validate()
    },
    ...(validateMetadataUpdate === undefined
      ? {}
      : { validateMetadataUpdate: (metadata, object) => validateMetadataUpdate(withLongNames(metadata), object) }),
  }
}

const withLongNames = (metadata: MetadataCalls): MetadataCalls => ({
  validate: (rules) => metadata.validate({ ...rules, validateName: checkLongName }),
  validateUpdate: (rules) => metadata.validateUpdate(rules),
})

/** The metadata of a new object is not checked at the first call. */
function withoutFirst(metadata: MetadataCalls): MetadataCalls {
  let isFirst = true
  return {
    validate(rules) {
      if (!isFirst) return metadata.validate(rules)
      isFirst = false
      return []
    },
    validateUpdate: (rules) => metadata.validateUpdate(rules),
  }
}
