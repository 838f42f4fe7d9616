// Shown while nobody is signed in: how to get a link, and a place for its code.
import { useState } from 'preact/hooks'
import { loadCapabilities, signIn } from '../api/session.ts'
import icon from '../ui/icon.svg'
import { Button, Input, Notice } from '../ui/parts.tsx'
import './sign-in.css'

export function SignInView() {
  const [text, setText] = useState('')
  const [refused, setRefused] = useState(false)
  const enter = async () => {
    const code = /code=([^&]+)/.exec(text)?.[1] ?? text.trim()
    if (code === '') return
    if (await signIn(code)) await loadCapabilities()
    else setRefused(true)
  }
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void enter()
        }}
      >
        <h1>
          <img src={icon} alt="" /> Pilothouse console
        </h1>
        <p>
          Sign in with a link. <code>pilothouse</code> prints one when it starts;{' '}
          <code>pilothouse console --kubeconfig FILE</code> makes another for the user of that file. In a test,{' '}
          <code>await server.console()</code> does.
        </p>
        <p class="quiet">A link is good once, for two minutes.</p>
        {refused && <Notice tone="bad">That link is wrong, was used, or has expired.</Notice>}
        <Input label="Link or code" value={text} onInput={setText} />
        <Button type="submit" look="primary">
          Sign in
        </Button>
      </form>
    </main>
  )
}
