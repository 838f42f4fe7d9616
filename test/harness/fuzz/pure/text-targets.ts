/** Short texts that clients write: selectors, queries, paths, headers, quantities, times, addresses, patterns, tokens. */
import { caBundleProblem } from '../../../../src/api/ca-bundle.ts'
import { parseDuration } from '../../../../src/api/duration.ts'
import { parseFieldSelector } from '../../../../src/api/field-selector.ts'
import { parseGoUrl, resolveReference } from '../../../../src/api/golang/url.ts'
import { readUrl } from '../../../../src/api/golang/url-parts.ts'
import { parseAddress, parsePrefix } from '../../../../src/api/ip.ts'
import { compileJsonPath } from '../../../../src/api/json-path.ts'
import { parseLabelSelector } from '../../../../src/api/label-selector-text.ts'
import * as names from '../../../../src/api/names.ts'
import { Quantity } from '../../../../src/api/quantity.ts'
import { requestInfo } from '../../../../src/api/request-info.ts'
import { parseSemanticVersion } from '../../../../src/api/semantic-version.ts'
import { parseMicroTime, parseTime } from '../../../../src/api/time.ts'
import { parseToken } from '../../../../src/auth/jwt/jws.ts'
import {
  mediaTypesWithCbor,
  negotiate,
  negotiateBody,
  parseMediaType,
  resourceRestrictions,
} from '../../../../src/codec/negotiation.ts'
import { decodeEncryptedObject } from '../../../../src/encryption/kms-messages.ts'
import { readDer } from '../../../../src/lib/der-reader.ts'
import { runToEnd } from '../../../../src/lib/in-turns.ts'
import { pemBlocks } from '../../../../src/lib/pem.ts'
import { Pattern, patternOf } from '../../../../src/lib/regexp/pattern.ts'
import { decodeRecord } from '../../../../src/store/lmdb/change-record.ts'
import { bytesOf, type PureTarget } from './pure-target.ts'

const object = {
  metadata: { name: 'a', labels: { a: 'b' } },
  spec: { list: [{ a: 1 }, { a: 2 }], n: 1.5 },
  status: null,
}
const text = (bytes: Buffer): string => bytes.toString('utf8')

const nameChecks = [
  names.checkDns1123Subdomain,
  names.checkDns1123Label,
  names.checkDns1035Label,
  names.checkQualifiedName,
  names.checkLabelValue,
  names.checkConfigMapKey,
  names.checkEnvVarName,
  names.checkRelaxedEnvVarName,
  names.checkHttpHeaderName,
  names.checkPathSegmentName,
  names.checkPercent,
]

export const textTargets: readonly PureTarget[] = [
  {
    name: 'label selector',
    seeds: bytesOf('a=b', 'a==b,c!=d', 'a in (b,c),!d', 'x notin (a),y', 'n>1,m<2', 'example.com/a=b', ' a = b '),
    words: [' in ', ' notin ', '(', ')', ',', '!', '=', '!=', '>', '<', 'a/b', '"', '\u00e9', '()', '(,)'],
    run: (bytes) => {
      parseLabelSelector(text(bytes)).matches({ a: 'b', n: '5' })
      return ''
    },
  },
  {
    name: 'field selector',
    seeds: bytesOf('metadata.name=a', 'spec.nodeName!=b,status.phase==c', 'a=b\\,c', 'a=\\\\'),
    words: ['=', '==', '!=', ',', '\\', '\\=', '\\,', 'metadata.namespace'],
    run: (bytes) => {
      parseFieldSelector(text(bytes))
      return ''
    },
  },
  {
    name: 'request target',
    seeds: bytesOf(
      '/api/v1/namespaces/default/pods/a/log?container=b&tailLines=3',
      '/apis/apps/v1/watch/deployments?labelSelector=a%3Db&limit=5',
      '/api/v1/nodes/a:10250/proxy/x/../y?z=%ff',
      '/openapi/v3/apis/apps/v1?hash=1',
    ),
    words: ['%2f', '%00', '%ff', '//', '/./', '/../', '?', '&', '=', ';', '+', '%', 'watch', 'proxy', 'namespaces'],
    run: (bytes) => {
      const [path = '', ...query] = text(bytes).split('?')
      const info = requestInfo({ method: 'GET', path, query: query.join('?') })
      return String(info.verb === '')
    },
  },
  {
    name: 'media types',
    seeds: bytesOf(
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'application/vnd.kubernetes.protobuf;stream=watch;q=0.5,*/*;q=0.1',
      'text/html, application/yaml; charset="utf-8"',
    ),
    words: [
      ';q=',
      'q=0.5',
      ';as=PartialObjectMetadata',
      ';as=Table',
      '*/*',
      'application/*',
      '"',
      '\\"',
      ';;',
      '=',
      ',',
    ],
    run: (bytes) => {
      const header = text(bytes)
      parseMediaType(header)
      negotiate(header, mediaTypesWithCbor, resourceRestrictions())
      negotiateBody(header, mediaTypesWithCbor)
      return ''
    },
  },
  {
    name: 'quantity',
    seeds: bytesOf(
      '1',
      '-1.5Gi',
      '100m',
      '1e3',
      '5E-2',
      '0.0000000001',
      '123456789012345678901234567890',
      '1Ki',
      '+.5u',
    ),
    words: ['Ki', 'Ei', 'n', 'u', 'E', 'e', '-', '+', '.', '0'.repeat(40), '9'.repeat(40), 'e99', 'e-99', ' '],
    run: (bytes) => {
      const quantity = Quantity.parse(text(bytes))
      return `${quantity.toString().length > 0}`
    },
  },
  {
    name: 'times and durations',
    seeds: bytesOf(
      '2024-02-29T12:34:56Z',
      '2024-01-01T00:00:00.123456+14:00',
      '1h2m3.5s',
      '-1us',
      '0001-01-01T00:00:00Z',
    ),
    words: ['T', 'Z', '+', '-', ':', '.', 'h', 'ns', 'µs', '24:00:00', '9'.repeat(20), '60'],
    run: (bytes) => firstRefusal([parseTime, parseMicroTime, parseDuration], text(bytes)),
  },
  {
    name: 'addresses and URLs',
    seeds: bytesOf(
      '10.0.0.1',
      '::ffff:1.2.3.4',
      'fe80::1%eth0',
      '10.0.0.0/8',
      'https://u:p@[::1]:443/a%2fb?c#d',
      '//a/b',
      '../c',
    ),
    words: ['%25', '[', ']', '@', ':', '//', '/../', '?', '#', '0177', '0x7f', '::', '/33', 'http://', '\u0000', '%zz'],
    run: (bytes) => {
      const given = text(bytes)
      readUrl(given)
      const base = parseGoUrl('https://a.example.com/b/c')
      if (base !== undefined) resolveReference(base, given)
      parseGoUrl(given)
      return firstRefusal([parseAddress, parsePrefix], given)
    },
  },
  {
    name: 'JSON path',
    seeds: bytesOf(
      '.spec.list[0].a',
      '{.spec.list[?(@.a>1)].a}',
      '.spec.list[*]',
      "..a['b','c']",
      '.spec.list[-1:]',
      '{range .spec.list[*]}{.a}{end}',
    ),
    words: ['[', ']', '?(', '@', '..', '*', "'", '{', '}', ':', ',', '==', '&&', 'range', 'end', '-1', '$'],
    run: (bytes) => {
      runToEnd(compileJsonPath(text(bytes))(object))
      return ''
    },
  },
  {
    name: 'pattern',
    seeds: bytesOf(
      '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      '(a|b)*c{2,5}',
      '\\p{L}+\\d',
      '(?i:x)(?P<n>y)',
      '[[:alpha:]]\\b',
      'a{0,30}',
    ),
    words: [
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '*',
      '+',
      '?',
      '|',
      '^',
      '$',
      '\\',
      '(?:',
      '(?s)',
      '{1000}',
      '\\pN',
      '[^',
      '\\Q',
      '\\x{',
    ],
    run: (bytes, steps) => {
      const [source = '', ...texts] = text(bytes).split('\n')
      const pattern = steps(patternOf(source))
      if (!(pattern instanceof Pattern)) return pattern.message
      for (const each of ['', 'a'.repeat(300), 'ab1-é\u{1f451}', ...texts]) {
        steps(pattern.test(each))
        steps(pattern.find(each))
      }
      return ''
    },
  },
  {
    name: 'names and versions',
    seeds: bytesOf('a', 'example.com/a-b', 'A_B.c', '1.2.3-rc.1+x', '50%', 'x'.repeat(64)),
    words: ['/', '.', '-', '_', '%', '\u00e9', '..', 'x'.repeat(260)],
    run: (bytes) => {
      parseSemanticVersion(text(bytes))
      return nameChecks.flatMap((check) => check(text(bytes))).join('\n')
    },
  },
  {
    name: 'tokens and keys',
    seeds: [
      ...bytesOf(
        'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.AAAA',
        '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n',
      ),
      Buffer.from('3010a003020102a106040401020304300406022a03', 'hex'),
    ],
    words: ['.', '-----BEGIN ', '-----END ', '-----\n', '=', 'eyJ', '\u0030\u0080', '\u0000'],
    run: (bytes) => {
      parseToken(text(bytes))
      pemBlocks(text(bytes))
      caBundleProblem(bytes.toString('base64'))
      readDer(bytes)
      return ''
    },
  },
  {
    name: 'stored records',
    seeds: [
      Buffer.concat([Buffer.alloc(29), Buffer.from('/registry/pods/a')]),
      Buffer.from('0a026162120a6b65792d69642d3132331a046b696e64', 'hex'),
    ],
    run: (bytes) => {
      decodeRecord(5, bytes)
      decodeEncryptedObject(bytes)
      return ''
    },
  },
]

/** Each reads the text in its own way; what they refuse it with counts for all of them. */
function firstRefusal(readers: readonly ((given: string) => unknown)[], given: string): string {
  let refusal: unknown
  for (const read of readers) {
    try {
      read(given)
    } catch (error) {
      if (error instanceof Error && error.constructor.name.match(/^(?:Error|TypeError|RangeError|SyntaxError)$/))
        throw error
      refusal ??= error
    }
  }
  return refusal instanceof Error ? refusal.message : ''
}
