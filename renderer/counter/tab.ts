/** The title of the tab: how many wait for staff, then the page and the place. Seen also behind other tabs. */
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
