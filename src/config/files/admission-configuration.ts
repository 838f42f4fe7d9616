/** AdmissionConfiguration: a configuration for each plugin that wants one, inline or in a file of its own. */
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import type { JsonValue } from '../../api/json.ts'
import { readGivenFile } from '../../lib/given-file.ts'
import { type ConfigurationDecoder, listDecoder, raw, stringDecoder, struct } from './decoder.ts'
import { decoding } from './field-problems.ts'
import { ConfigFileError, decodeDocument } from './versioned-document.ts'
import { yamlProblem } from './yaml-problem.ts'

interface AdmissionConfigurationFile {
  readonly plugins: readonly {
    readonly name: string
    readonly path: string
    readonly configuration: JsonValue | undefined
  }[]
}

/** The configuration of a plugin as the file gives it, and where it came from. */
export interface PluginConfiguration {
  readonly name: string
  readonly configuration: JsonValue | undefined
  readonly source: string
}

const decoder: ConfigurationDecoder<AdmissionConfigurationFile> = struct('v1.AdmissionConfiguration', {
  plugins: listDecoder(
    struct('v1.AdmissionPluginConfiguration', { name: stringDecoder, path: stringDecoder, configuration: raw }),
  ),
})

const kind = {
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'],
  decoder,
}

const prefix = 'failed to apply admission: failed to read plugin config: '

/** Throws a ConfigFileError. Configurations with a path are read, next to the file unless the path is absolute. */
export function readAdmissionConfiguration(
  text: string,
  file: string,
  knownPlugins: ReadonlySet<string>,
): readonly PluginConfiguration[] {
  const { plugins } = decoding(file, prefix, () => decodeDocument(text, kind))
  return plugins.map(({ name, path, configuration }, i) => {
    if (name === '') throw new ConfigFileError(file, `${prefix}plugins[${i}].name: Required value`)
    if (!knownPlugins.has(name)) {
      const why = `plugins[${i}].name: Invalid value: ${JSON.stringify(name)}: no admission plugin has this name`
      throw new ConfigFileError(file, prefix + why)
    }
    // What is written in the file wins over a path.
    if (configuration !== undefined || path === '') return { name, configuration, source: file }
    const source = resolve(dirname(file), path)
    return { name, configuration: readPluginFile(source, file), source }
  })
}

function readPluginFile(path: string, file: string): JsonValue {
  try {
    return parse(readGivenFile(path), { version: '1.1', maxAliasCount: 100 }) as JsonValue
  } catch (error) {
    throw new ConfigFileError(
      file,
      `${prefix}unable to read plugin configuration from ${JSON.stringify(path)} [${yamlProblem(error)}]`,
    )
  }
}
