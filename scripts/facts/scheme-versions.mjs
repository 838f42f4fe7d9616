// The group versions that upstream's scheme knows, served or not: what its groups install.
const groupsFile = 'pkg/controlplane/import_known_versions.go'
const others = [
  'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions',
  'staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration',
]

/** Lines `group/version`; that of the core group begins with the slash. */
export function schemeVersionFacts(checkout) {
  const imported = checkout.read(groupsFile).matchAll(/_ "k8s\.io\/kubernetes\/(\S+)\/install"/g)
  const folders = [...[...imported].map(([, folder]) => folder), ...others]
  const lines = folders.flatMap((folder) => {
    const constant = checkout.package(folder).consts.get('GroupName')
    const group = checkout.evaluate(constant.file, constant.value)
    return installedVersions(checkout.read(`${folder}/install/install.go`)).map((version) => `${group}/${version}`)
  })
  return `${lines.sort().join('\n')}\n`
}

/** The packages named after a version that add their types to the scheme. */
function installedVersions(text) {
  const imports = new Map(
    [...text.matchAll(/^\t(?:(\w+) )?"(\S+)"$/gm)].map(([, alias, path]) => {
      const last = path.split('/').at(-1)
      return [alias ?? last, last]
    }),
  )
  const added = [...text.matchAll(/(\w+)\.AddToScheme\(/g)].map(([, name]) => imports.get(name))
  return added.filter((name) => /^v\d/.test(name ?? ''))
}
