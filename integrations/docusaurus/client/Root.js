import {createElement, useEffect} from 'react';
import {useHistory} from '@docusaurus/router';
import SiteRoot from '@glossator/site-root';
import {followCitations} from './citations';

/** The site's own Root, with an ear for the widget. */
export default function Root(props) {
  const history = useHistory();
  useEffect(() => followCitations(history), [history]);
  return createElement(SiteRoot, props);
}
