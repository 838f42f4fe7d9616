// The commands of the docs, as a user of the package calls them: each does what its page says.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: -1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
`

const oldIngress = `apiVersion: extensions/v1beta1
kind: Ingress
metadata: { name: web }
spec: { rules: [{ http: { paths: [{ path: /, backend: { serviceName: web, servicePort: 80 } }] } }] }
`

export function commands(run, node, folder) {
  const env = run.environment(node, folder)
  const call = (...args) => run.must('npx', ['--no-install', 'pilothouse', ...args], { cwd: folder, env }).stdout
  const expect = (found, wanted, what) => {
    if (!found.includes(wanted)) throw new Error(`${what} prints\n${found}\nwithout ${wanted}`)
  }
  expect(call('version'), 'Pilothouse v', 'version')
  expect(call('--help'), '--etcd-servers', '--help')
  writeFileSync(path.join(folder, 'web.yaml'), deployment)
  const check = 'npx --no-install pilothouse check -f web.yaml; test $? = 2'
  expect(run.must('bash', ['-c', check], { cwd: folder, env }).stdout, 'spec.replicas: Invalid value: -1', 'check')
  const reset = `node -e "fetch(process.env.PILOTHOUSE_TEST_ENDPOINT + '/reset', { method: 'POST' })"`
  const script = `kubectl create namespace shop && ${reset} && kubectl get namespaces`
  const found = call('test', '--test-endpoint=127.0.0.1:0', '--', 'sh', '-c', script)
  expect(found, 'kube-system', 'test')
  if (/^shop /m.test(found)) throw new Error('a namespace is there after a reset')
  const assets = call('envtest', '-p', 'path')
  for (const name of ['etcd', 'kube-apiserver']) {
    if (!existsSync(path.join(assets, name))) throw new Error(`${assets} has no ${name}`)
  }
  // The tour has left a store beside.
  const data = path.join(path.dirname(folder), path.basename(folder).replace('commands', 'tour'), 'pilothouse-data')
  expect(call('snapshot', 'save', 'a.snap', '--data-dir', data), 'Saved', 'snapshot save')
  expect(call('snapshot', 'inspect', 'a.snap'), 'deployments.apps', 'snapshot inspect')
  const restore = ['snapshot', 'restore', 'a.snap', '--data-dir', 'restored']
  expect(call(...restore), 'Restored', 'snapshot restore')
  expect(call(...restore, '--force', '--bump-revision', '1000000'), 'Restored', 'snapshot restore --force')
  const copied = call('copy', '--from', 'lmdb://./restored', '--to', 'lmdb://./copied')
  expect(copied, 'Copied', 'copy')
  forManifests({ run, folder, env, call, expect })
  forTests({ folder, call, expect })
}

/** docs/testing.md and docs/convert-and-lint.md. */
function forManifests({ run, folder, env, call, expect }) {
  const sarif = 'npx --no-install pilothouse check -f web.yaml -o sarif; test $? = 2'
  const { runs } = JSON.parse(run.must('bash', ['-c', sarif], { cwd: folder, env }).stdout)
  const without = runs[0].tool.driver.rules.filter(({ help }) => !help?.text)
  if (runs[0].results.length === 0 || without.length > 0) throw new Error('SARIF has no results, or rules without help')
  writeFileSync(path.join(folder, 'old.yaml'), oldIngress)
  expect(call('convert', '-f', 'old.yaml'), 'apiVersion: networking.k8s.io/v1', 'convert')
  const lint = 'npx --no-install pilothouse lint -f old.yaml; test $? != 0'
  expect(run.must('bash', ['-c', lint], { cwd: folder, env }).stdout, 'extensions/v1beta1', 'lint')
}

function forTests({ folder, call, expect }) {
  expect(call('envtest', '--', 'sh', '-c', 'ls $KUBEBUILDER_ASSETS'), 'kube-apiserver', 'envtest -- COMMAND')
  const web = 'kubectl create deployment web --image=nginx && kubectl rollout status deployment web --timeout=60s'
  expect(call('test', '--simulate', '--', 'sh', '-c', web), 'successfully rolled out', 'test --simulate')
  const versions = call('test', '--release=1.34,1.36', '--', 'sh', '-c', 'kubectl version')
  for (const release of ['v1.34', 'v1.36']) expect(versions, `Server Version: ${release}`, 'test --release')
  const imported =
    'kubectl create namespace shop && npx --no-install pilothouse import --namespaces shop --data-dir like-prod'
  expect(call('test', '--', 'sh', '-c', imported), 'Imported', 'import')
  if (!existsSync(path.join(folder, 'like-prod/store/data.mdb'))) throw new Error('import made no store')
}
