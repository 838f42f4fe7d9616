/** The part that another server has in the document of version 2. */
import { encodeJson } from '../../codec/json.ts'
import type { RemoteOpenApi } from '../discovery/discovery-index.ts'

/** A part of version 2, as text that is ready to be joined. */
export interface TextPart {
  readonly paths: string
  readonly definitions: ReadonlyMap<string, string>
  readonly parameters: ReadonlyMap<string, string>
}

/** Types of another server that are not what has their name here get another name. */
export function remotePart(
  { paths, definitions, parameters }: NonNullable<RemoteOpenApi['versionTwo']>,
  parts: readonly TextPart[],
): TextPart {
  let texts: RemoteTexts = {
    paths: encodeJson(paths).slice(1, -1),
    definitions: Object.entries(definitions).map(([name, value]) => [name, encodeJson(value ?? {})] as const),
    parameters: Object.entries(parameters).map(([name, value]) => [name, encodeJson(value ?? {})] as const),
  }
  for (const place of ['definitions', 'parameters'] as const) {
    const isFree = (name: string, text: string): boolean =>
      parts.every((part) => (part[place].get(name) ?? text) === text)
    for (const [name, text] of texts[place]) {
      if (isFree(name, text)) continue
      let number = 2
      while (!isFree(`${name}_v${number}`, text)) number++
      texts = renamed(texts, place, { from: name, to: `${name}_v${number}` })
    }
  }
  return { paths: texts.paths, definitions: new Map(texts.definitions), parameters: new Map(texts.parameters) }
}

interface RemoteTexts {
  readonly paths: string
  readonly definitions: readonly (readonly [string, string])[]
  readonly parameters: readonly (readonly [string, string])[]
}

function renamed(
  texts: RemoteTexts,
  place: 'definitions' | 'parameters',
  { from, to }: { readonly from: string; readonly to: string },
): RemoteTexts {
  const change = (text: string): string => text.replaceAll(`"#/${place}/${from}"`, `"#/${place}/${to}"`)
  const changeAll = (all: RemoteTexts['definitions'], isPlace: boolean): RemoteTexts['definitions'] =>
    all.map(([name, text]) => [isPlace && name === from ? to : name, change(text)] as const)
  return {
    paths: change(texts.paths),
    definitions: changeAll(texts.definitions, place === 'definitions'),
    parameters: changeAll(texts.parameters, place === 'parameters'),
  }
}
