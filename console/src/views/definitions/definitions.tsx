export function DefinitionsView() {
  return <p class="empty">…</p>
}
