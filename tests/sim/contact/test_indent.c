#include <stdio.h>
#include <math.h>
#include <string.h>
#include "sim/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
void setUp(void) {}
void tearDown(void) {}
static void try_it(void) {
    press p; pal_err err={0};
    press_shape s = {PAL_HEX8, {-0.05,-0.05,-0.05},{0.05,0.05,0},1e-3,5e-3,1.6,0,0,0};
    double t=pal_seconds();
    press_open(&p,&s);
    printf("%d vertices, open %.2f\n",p.mesh.vertex_count,pal_seconds()-t); t=pal_seconds();
    press_reduce(&p,20); printf("modes %.2f\n",pal_seconds()-t); t=pal_seconds();
    pal_indent_spec spec=press_ball(&p,0,0);
    pal_indent_result full[3],with[3],without[3];
    CHECK_OK(pal_indent_linear(&p.fem,&spec,NULL,full,&err),err);
    printf("linear %.2f\n",pal_seconds()-t); t=pal_seconds();
    press_localise(&p,PAL_LOCAL_WANT_FAST,0.015,0.011);
    printf("fast %.2f s rows %d blocks %ld cost %g el %g\n",pal_seconds()-t,p.local.row_count,(long)p.local.block_count,p.report.cost,p.report.element); t=pal_seconds();
    press_reduced(&p,&spec,true,with);
    press_reduced(&p,&spec,false,without);
    for(int k=0;k<3;k++) printf("%g: full %.5f (%d it, %d c, a %.4g) with %.5f (%.2f %%) without %.5f hertz %.5f\n",spec.depth[k],full[k].force,full[k].iterations,full[k].contacts,full[k].contact_radius,with[k].force,100*(with[k].force/full[k].force-1),without[k].force,pal_indent_hertz(12e3,0.45,5e-3,spec.depth[k]));
    press_close(&p);
}
int main(void){UNITY_BEGIN();RUN_TEST(try_it);return UNITY_END();}
