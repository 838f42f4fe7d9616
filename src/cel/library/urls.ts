/** URLs and their parts. */

import { quote } from '../../api/field-error.ts'
import { GoNative } from '../../api/golang/native.ts'
import { countWork, WORK } from '../evaluation.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import type { CelUrl } from '../go-url.ts'
import {
  celEscapedPath,
  formatUrl,
  fromBytes,
  parseRequestUri,
  parseUrl,
  queryOf,
  splitHostPort,
  UrlError,
} from '../go-url.ts'
import { BOOL, listType, mapType, STRING, structType } from '../types.ts'
import type { Opaque, Value } from '../values.ts'
import { ArrayList, CelError, EntryMap, errorOr } from '../values.ts'
import type { Library } from './library.ts'

const URL = structType('kubernetes.URL')

class UrlValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = URL
  readonly url: CelUrl
  constructor(url: CelUrl) {
    this.url = url
  }
  equals(other: Value): Value {
    return other instanceof UrlValue ? formatUrl(this.url) === formatUrl(other.url) : errorOr(other)
  }
  native(): GoNative {
    return GoNative.pointer('*url.URL', fromBytes(formatUrl(this.url)))
  }
}

function urlError(text: string): UrlError | undefined {
  try {
    parseRequestUri(text)
    return undefined
  } catch (error) {
    if (error instanceof UrlError) return error
    throw error
  }
}

/** What is wrong with the text, undefined for a URL. */
export function checkRequestUri(text: string): string | undefined {
  const error = urlError(text)
  return error && `parse ${quote(text)}: ${error.message}`
}

/** Has no price of its own. */
const isUrl: Implementation = (a) => urlError(a as string) === undefined

const parse: Implementation = (a) => {
  const text = a as string
  const prefix = 'URL parse error during conversion from string: '
  try {
    const target = parseRequestUri(text)
    // With a scheme and no fragment it is read just the same as a reference.
    return new UrlValue(target.scheme !== '' && !text.includes('#') ? target : parseUrl(text))
  } catch (error) {
    countWork(text.length * WORK.urlByte)
    if (error instanceof UrlError) return new CelError(`${prefix}parse ${quote(text)}: ${error.message}`)
    throw error
  }
}

const query: Implementation = (a) => {
  const result = new EntryMap()
  for (const [key, values] of queryOf((a as UrlValue).url)) result.set(key, new ArrayList(values))
  return result
}

const part =
  (read: (url: CelUrl) => string): Implementation =>
  (a) =>
    fromBytes(read((a as UrlValue).url))

export const urlsLibrary: Library = {
  functions: [
    declareFunction('url', { overloads: [['string_to_url', [STRING], URL, parse]] }),
    declareFunction('isURL', {
      overloads: [['is_url_string', [STRING], BOOL, isUrl]],
    }),
    declareFunction('getScheme', { members: [['url_get_scheme', [URL], STRING, part((url) => url.scheme)]] }),
    declareFunction('getHost', { members: [['url_get_host', [URL], STRING, part((url) => url.host)]] }),
    declareFunction('getHostname', {
      members: [['url_get_hostname', [URL], STRING, part((url) => splitHostPort(url).hostname)]],
    }),
    declareFunction('getPort', { members: [['url_get_port', [URL], STRING, part((url) => splitHostPort(url).port)]] }),
    declareFunction('getEscapedPath', { members: [['url_get_escaped_path', [URL], STRING, part(celEscapedPath)]] }),
    declareFunction('getQuery', { members: [['url_get_query', [URL], mapType(STRING, listType(STRING)), query]] }),
  ],
}
