/** Hands a file to the browser's downloads. The address is given back at once: nothing of the file stays in the page. */
export function saveAs(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken it over by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
