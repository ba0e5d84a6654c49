import { useEffect, useState } from 'react';

/** True once `on` has lasted `ms`: nothing flashes for what is done sooner. */
export function useDelayed(on: boolean, ms = 300): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!on) return;
    const timer = setTimeout(() => setLate(true), ms);
    return () => clearTimeout(timer);
  }, [on, ms]);
  return on && late;
}
