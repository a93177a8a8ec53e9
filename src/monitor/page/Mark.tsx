/** Guard's shield. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z" />
      <path class="tick" d="m8.5 12 2.5 2.5 4.5-5" />
    </svg>
  )
}
