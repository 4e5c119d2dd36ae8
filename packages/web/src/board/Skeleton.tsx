import { Page } from "../frame/Frame.js";
import { t } from "../texts/index.js";
import * as cardStyles from "./BoardCard.module.css";
import * as listStyles from "./List.module.css";
import * as styles from "./Skeleton.module.css";

const LISTS = [3, 2, 4, 1];

/** The geometry of a board while it is read. */
export const Skeleton = () => (
  <Page heading={t.loading}>
    <div className={listStyles.lists} aria-hidden="true">
      {LISTS.map((cards, index) => (
        <div className={listStyles.list} key={index}>
          <div className={listStyles.head}>
            <span className={`${styles.bone} ${styles.line}`} />
          </div>
          <div className={listStyles.cards}>
            {Array.from({ length: cards }, (_, row) => (
              <div className={cardStyles.card} key={row}>
                <span className={styles.bone} />
                <span className={`${styles.bone} ${styles.line}`} />
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  </Page>
);
