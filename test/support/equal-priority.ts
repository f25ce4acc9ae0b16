/**
 * Runs vision workers at the priority of all others. They are nicer than the server by ten, so beside the processes of three other tests
 * each would get a twentieth of a core and exceed its time limits.
 */
export default function setup(): void {
  process.env.COUNTERPROOF_WORKER_NICER_BY ??= '0'
}
