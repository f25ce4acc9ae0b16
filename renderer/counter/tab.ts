/**
 * The title of the tab: the number of waiting applicants, then the page and the branch. It is visible behind
 * other tabs too.
 */
let page = ''
let waiting = 0

export function nameTab(title: string): void {
  page = title
  write()
}

export function countInTab(count: number): void {
  waiting = count
  write()
}

function write(): void {
  if (page !== '') document.title = waiting > 0 ? `(${waiting}) ${page}` : page
}
