// The frame: what is at the top, the navigation, and the view that the address names.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { kinds, loadKinds } from './api/discovery.ts'
import { signedOut } from './api/http.ts'
import { useObjects } from './api/live.ts'
import { metadataOnly } from './api/objects.ts'
import { capabilities, feature, has, signOut, user } from './api/session.ts'
import { register, shortcuts } from './lib/keys.ts'
import { messageOf } from './lib/message.ts'
import { address, go, href, listHref } from './lib/router.ts'
import { theme } from './lib/theme.ts'
import { Help, helpOpen } from './ui/help.tsx'
import icon from './ui/icon.svg'
import { lazy } from './ui/lazy.tsx'
import { Button, Notice } from './ui/parts.tsx'
import { Toasts } from './ui/toasts.tsx'
import { counts, discoveryStamp, namespaceNow, useCounts } from './views/counts.ts'
import { EverythingView } from './views/everything.tsx'
import { commonKinds, kindId } from './views/kind-names.ts'
import { ListView } from './views/list.tsx'
import { Palette, paletteOpen } from './views/palette.tsx'
import { SignInView } from './views/sign-in.tsx'

const views = {
  o: lazy(() => import('./views/object/object.tsx'), 'ObjectView'),
  requests: lazy(() => import('./views/requests/requests.tsx'), 'RequestsView'),
  access: lazy(() => import('./views/access/access.tsx'), 'AccessView'),
  definitions: lazy(() => import('./views/definitions/definitions.tsx'), 'DefinitionsView'),
  time: lazy(() => import('./views/time/time.tsx'), 'TimeView'),
  server: lazy(() => import('./views/server/server.tsx'), 'ServerView'),
} as const

interface Place {
  readonly id: string
  readonly title: string
  readonly key: string
}

const places: readonly Place[] = [
  { id: '', title: 'Everything', key: 'g e' },
  { id: 'requests', title: 'Requests', key: 'g r' },
  { id: 'access', title: 'Access', key: 'g a' },
  { id: 'definitions', title: 'Definitions & policies', key: 'g d' },
  { id: 'time', title: 'Time & faults', key: 'g t' },
  { id: 'server', title: 'The server', key: 'g s' },
]

const failure = signal('')
const menuOpen = signal(false)

export function App() {
  if (signedOut.value) return <SignInView />
  if (capabilities.value === undefined) return <p class="empty">Asking the server …</p>
  return <Shell />
}

function Shell() {
  useStart()
  useCounts()
  useDiscovery()
  useEffect(() => {
    menuOpen.value = false
  }, [address.value.path.join('/')])
  return (
    <div class="shell">
      <Top />
      <Navigation />
      <main id="main" tabIndex={-1}>
        {failure.value !== '' && <Notice tone="bad">The server’s kinds cannot be read: {failure.value}</Notice>}
        <Current />
      </main>
      {paletteOpen.value !== undefined && <Palette />}
      {helpOpen.value && <Help all={shortcuts.value} />}
      <Toasts />
    </div>
  )
}

function useStart(): void {
  useEffect(() => {
    const load = () =>
      loadKinds().then(
        () => {
          failure.value = ''
        },
        (error: unknown) => {
          failure.value = messageOf(error)
        },
      )
    reload = load
    void load()
    const gone = register([
      { keys: 'mod+k', title: 'Search names, labels, kinds', run: () => (paletteOpen.value = '') },
      { keys: ':', title: 'Go to a kind', run: () => (paletteOpen.value = ':') },
      { keys: '?', title: 'This help', run: () => (helpOpen.value = true) },
      ...places.map(({ id, title, key }) => ({
        keys: key,
        title,
        run: () => go(href(id === '' ? [] : [id], id === '' ? { ns: namespaceNow.value } : {})),
      })),
      { keys: 'g p', title: 'Pods', run: () => go(listHref({ group: '', version: 'v1', resource: 'pods' })) },
      { keys: 'g b', title: 'Back', run: () => history.back() },
    ])
    return gone
  }, [])
}

let reload = async (): Promise<void> => {}

/** Definitions and other servers come and go. This server says when; of others their objects are watched. */
function useDiscovery(): void {
  const others = !has('counts')
  const watched = (path: string) => (others ? path : undefined)
  const definitions = useObjects(watched('/apis/apiextensions.k8s.io/v1/customresourcedefinitions'), partial)
  const services = useObjects(watched('/apis/apiregistration.k8s.io/v1/apiservices'), partial)
  const versions = others
    ? [...definitions.objects, ...services.objects].map(({ metadata }) => metadata.resourceVersion)
    : []
  const stamp = others ? versions.join() : discoveryStamp.value
  const first = useRef(stamp)
  useEffect(() => {
    if (stamp === first.current || stamp === '') return
    // A definition is served a moment after its last change.
    const timers = [100, 1500].map((ms) => setTimeout(() => void reload(), ms))
    return () => timers.forEach(clearTimeout)
  }, [stamp])
}

const partial = { accept: metadataOnly }

function Current() {
  const [first = ''] = address.value.path
  if (first === '') return <EverythingView />
  if (first === 'k') return <ListView />
  if (first === 'o' && address.value.path.length < 6) return <ListView />
  const View = Object.hasOwn(views, first) ? views[first as keyof typeof views] : undefined
  return View === undefined ? <p class="empty">There is no such page.</p> : <View />
}

function Top() {
  return (
    <header class="top">
      <span class="menu-button">
        <Button look="plain" label="Menu" onClick={() => (menuOpen.value = !menuOpen.value)}>
          ☰
        </Button>
      </span>
      <a class="brand" href={href([], { ns: namespaceNow.value })}>
        <img src={icon} alt="" />
        <span class="wide">Pilothouse</span>
      </a>
      <Crumbs />
      <button type="button" class="button search" onClick={() => (paletteOpen.value = '')}>
        <span>Search</span> <kbd class="wide">⌘K</kbd>
      </button>
      <Button look="plain" label={`Theme: ${theme.value}`} title={`Theme: ${theme.value}`} onClick={nextTheme}>
        {theme.value === 'system' ? '◐' : theme.value === 'light' ? '☼' : '☾'}
      </Button>
      <span class="wide">
        <Button look="plain" label="Help" onClick={() => (helpOpen.value = true)}>
          ?
        </Button>
      </span>
      <span class="wide quiet ellipsis" title={capabilities.value?.user.groups.join(', ')}>
        {user.value}
      </span>
      <Button look="plain" onClick={() => void signOut()}>
        Sign out
      </Button>
    </header>
  )
}

function nextTheme(): void {
  theme.value = theme.value === 'system' ? 'light' : theme.value === 'light' ? 'dark' : 'system'
}

function Crumbs() {
  const { path } = address.value
  const [view, group = '', version = '', resource = '', namespace = '', name] = path
  if (view !== 'o' && view !== 'k') {
    const place = places.find(({ id }) => id === (view ?? ''))
    return (
      <ol class="crumbs">
        <li>{place?.title ?? ''}</li>
      </ol>
    )
  }
  const kind = { group: group === 'core' ? '' : group, version, resource }
  return (
    <ol class="crumbs">
      <li>
        <a href={listHref(kind, { ns: view === 'k' ? undefined : namespaceNow.value || undefined })}>{kindId(kind)}</a>
      </li>
      {view === 'o' && namespace !== '_' && (
        <li class="wide">
          <a href={listHref(kind, { ns: namespace })}>{namespace}</a>
        </li>
      )}
      {name !== undefined && <li>{name}</li>}
    </ol>
  )
}

function Navigation() {
  const [view = '', ...rest] = address.value.path
  return (
    <nav class={`nav ${menuOpen.value ? 'open' : ''}`} aria-label="Views">
      {places
        .filter(({ id }) => id !== 'time' || feature('testing').available)
        .map(({ id, title }) => (
          <a
            key={id}
            href={href(id === '' ? [] : [id], id === '' ? { ns: namespaceNow.value } : {})}
            aria-current={view === id ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      <h2>Often looked at</h2>
      {commonKinds(kinds.value).map((kind) => {
        const current = view === 'k' && rest[2] === kind.resource && (rest[0] === 'core' ? '' : rest[0]) === kind.group
        return (
          <a
            key={kindId(kind)}
            href={listHref(kind, { ns: kind.namespaced ? namespaceNow.value : undefined })}
            aria-current={current ? 'page' : undefined}
          >
            {kind.kind} <span class="count">{counts.value.get(kindId(kind))?.toLocaleString('en') ?? ''}</span>
          </a>
        )
      })}
    </nav>
  )
}
