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
  expect(call('snapshot', 'restore', 'a.snap', '--data-dir', 'restored'), 'Restored', 'snapshot restore')
}
