import React from 'react';

export default function Root({children}) {
  return <div id="own-root">{children}</div>;
}
