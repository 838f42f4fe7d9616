// Parts that are loaded when they are first shown.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Loaded<Name extends string, Props> = { readonly [key in Name]: ComponentType<Props> }

export function lazy<Name extends string, Props extends object>(
  load: () => Promise<Loaded<Name, Props>>,
  name: Name,
): ComponentType<Props> {
  let view: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, again] = useState(0)
    const [failed, fail] = useState('')
    useEffect(() => {
      if (view !== undefined) return
      load().then(
        (module) => {
          view = module[name]
          again((n) => n + 1)
        },
        () => fail('This part of the console cannot be loaded. The server may have been updated: reload the page.'),
      )
    }, [])
    if (failed !== '') return <p class="empty">{failed}</p>
    const View = view
    return View === undefined ? <p class="empty">Loading …</p> : <View {...props} />
  }
}
