export function ServerView() {
  return <p class="empty">…</p>
}
