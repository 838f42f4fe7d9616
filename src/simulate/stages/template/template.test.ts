import { describe, expect, it } from 'vitest'
import { templateFunctions } from './function-table.ts'
import { compileTemplate } from './template-execute.ts'

const now = Date.parse('2026-01-02T03:04:05Z')
const functions = templateFunctions(
  { now, random: () => 0.5, uuid: () => 'uuid' },
  { Twice: ([value = '']) => `${String(value)}${String(value)}` },
)
const pod = {
  metadata: { name: 'web', annotations: { 'a/b': 'c' } },
  spec: {
    containers: [
      { name: 'a', image: 'i' },
      { name: 'b', restartPolicy: 'Always' },
    ],
    replicas: 3,
    hostNetwork: false,
  },
}
const run = (source: string) => compileTemplate(source).execute(pod as never, functions)

it.each<[string, string]>([
  ['plain', 'plain'],
  ['{{ .metadata.name }}', 'web'],
  ['{{.spec.replicas}} {{.spec.hostNetwork}}', '3 false'],
  ['{{ .missing }}', '<no value>'],
  ['{{ .missing.deeper }}', '<no value>'],
  ['{{ range .spec.containers }}{{ .name }},{{ end }}', 'a,b,'],
  ['{{ range $i, $c := .spec.containers }}{{ $i }}={{ $c.name }} {{ end }}', '0=a 1=b'],
  ['{{ range .none }}x{{ else }}nothing{{ end }}', 'nothing'],
  ['{{ range .spec.containers }}{{ if eq .name "b" }}{{ break }}{{ end }}{{ .name }}{{ end }}', 'a'],
  ['{{ range $k, $v := .metadata.annotations }}{{ $k }}:{{ $v }}{{ end }}', 'a/b:c'],
  ['{{ if eq .restartPolicy "Always" }}yes{{ else }}no{{ end }}', 'no'],
  ['{{ if .none }}1{{ else if .spec.replicas }}2{{ else }}3{{ end }}', '2'],
  ['{{ with .metadata }}{{ .name }}{{ $.spec.replicas }}{{ end }}', 'web3'],
  ['{{ with .none }}a{{ else with .metadata }}{{ .name }}{{ end }}', 'web'],
  ['{{ $x := 1 }}{{ $x = add $x 2 }}{{ $x }}', '3'],
  ['{{ $x := "o" }}{{ if true }}{{ $x := "i" }}{{ $x }}{{ end }}{{ $x }}', 'io'],
  ['a {{- " b " -}} c', 'a b c'],
  ['a{{/* gone */}}b', 'ab'],
  ['a {{- /* gone }} */ -}} b', 'ab'],
  ['{{ "}}" }}', '}}'],
  ['{{ `raw "x"` }}', 'raw "x"'],
  ['{{ "q\\"\\n" | quote }}', '"q\\"\\n"'],
  ['{{ .metadata.name | Twice | upper }}', 'WEBWEB'],
  ['{{ (index .spec.containers 1).name }}', 'b'],
  ['{{ index .metadata.annotations "a/b" }}', 'c'],
  ['{{ or .none "x" }}{{ and .metadata "y" }}{{ not true }}', 'xyfalse'],
  ['{{ or .metadata.name (fail "never") }}', 'web'],
  ['{{ printf "%s-%03d %v %q" .metadata.name 7 .spec.replicas "z" }}', 'web-007 3 "z"'],
  ['{{ len .spec.containers }} {{ gt .spec.replicas 2 }} {{ le 2 1 }}', '2 true false'],
  ['{{ define "t" }}[{{ . }}]{{ end }}{{ template "t" .metadata.name }}', '[web]'],
  ['{{ dict "a" 1 "b" (list 1 2) | toJson }}', '{"a":1,"b":[1,2]}'],
  ['{{ default "d" .none }} {{ .metadata.name | default "d" }} {{ ternary "y" "n" true }}', 'd web y'],
  ['{{ list "b" "a" | sortAlpha | join "," }} {{ splitList "," "x,y" | last }}', 'a,b y'],
  ['{{ until 3 }} {{ div 7 2 }} {{ mod 7 4 }} {{ max 1 5 2 }}', '[0 1 2] 3 3 5'],
  ['{{ "a b" | replace " " "-" | trunc 2 | nindent 2 }}', 'a-'],
  ['{{ regexReplaceAll "[0-9]+" "a12b3" "#" }} {{ regexMatch "^a" "abc" }}', 'a#b# true'],
  ['{{ now | date "2006-01-02 15:04:05" }} {{ now | unixEpoch }}', '2026-01-02 03:04:05 1767323045'],
  ['{{ now | dateModify "-1h" | date "15" }}', '02'],
  ['{{ "YQ==" | b64dec }} {{ sha256sum "" | trunc 8 }}', 'a e3b0c442'],
  ['{{ . | len }} {{ .metadata }}', '2 map[annotations:map[a/b:c] name:web]'],
  [
    '{{ hasKey .metadata "name" }} {{ keys .metadata | sortAlpha }} {{ dig "x" "y" "z" .metadata }}',
    'true [annotations name] z',
  ],
  ['{{ .__proto__ }}', '<no value>'],
])('%s', (source, expected) => expect(run(source).trim()).toBe(expected))

describe('what is refused', () => {
  it.each<[string, string]>([
    ['{{ if true }}', '{{if}} is not closed by {{end}}'],
    ['{{ end }}', 'unexpected {{end}}'],
    ['{{ .a', 'an action is not closed'],
    ['{{ }}', 'missing value'],
    ['{{ .a ~ }}', 'unexpected "~"'],
    ['{{ (.a }}', 'a parenthesis is not closed'],
    ['{{ nope . }}', 'function "nope" not defined'],
    ['{{ env "HOME" }}', 'the function env is not offered'],
    ['{{ $x }}', 'undefined variable "$x"'],
    ['{{ template "t" }}', 'template "t" not defined'],
    ['{{ fail "stop" }}', 'stop'],
    ['{{ .metadata.name.x }}', "can't evaluate field x in a string"],
    ['{{ index .spec.containers 9 }}', 'index out of range: 9'],
    ['{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}', 'at most'],
    ['{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}', 'too deep'],
    ['{{ range until 200 }}{{ repeat 10000 "x" }}{{ end }}', 'writes at most'],
  ])('%s', (source, message) => expect(() => run(source)).toThrow(message))
})
