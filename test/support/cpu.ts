/** Milliseconds that this process has computed: what something takes however busy the machine is. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
